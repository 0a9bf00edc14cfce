// Package docs holds the documents. It has no code but tests, which hold the
// documents to the program: the formats that are described are those written, the
// tutorial's commands print what is shown, methods.md and attacks.md are what the
// registries say, and every section that a comment names exists.
package docs
