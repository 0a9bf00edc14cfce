// Package files writes files and directories so that a reader finds the old contents or the new ones and a loss of
// power cannot take what was reported as written; it hashes them; and it locks directories against other processes.
// Everything that the program leaves on a disk goes through it.
package files
