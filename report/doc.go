// Package report makes tables and figures from what runs recorded.
package report
