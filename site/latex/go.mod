// In place of the module of this name when the engine is built for pages: charts of pages have no mathematics that is
// set as LaTeX does, gonum's texts link it all the same, and four fonts with it, a tenth of what browsers would load.
module codeberg.org/go-latex/latex

go 1.26.0

require golang.org/x/image v0.30.0
