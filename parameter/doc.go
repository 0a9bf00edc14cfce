// Package parameter holds parameters that vary by node and by use: penalties, noise
// rates, step sizes. Methods and the models of methods read the same scenario by it,
// and share nothing else.
package parameter
