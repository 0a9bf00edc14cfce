// A small chart, from numbers to a file.

package plot_test

import (
	"bytes"
	"fmt"
	"math"

	"overhear/report/plot"
)

func Example() {
	var rounds, mean, least, greatest []float64
	for t := range 41 {
		d := math.Pow(10, -float64(t)/10)
		rounds, mean = append(rounds, float64(t)), append(mean, d)
		least, greatest = append(least, d/2), append(greatest, 2*d)
	}
	c := plot.Chart{
		Title: "Distance to the optimum, mean and range of ten seeds",
		X:     plot.Linear("round"),
		Y:     plot.Log("relative distance"),
		Lines: []plot.Line{
			{Label: "ADMM", X: rounds, Y: mean, Low: least, High: greatest},
			{Label: "what is needed", Look: plot.Reference, X: []float64{0, 40}, Y: []float64{1e-3, 1e-3}},
		},
	}
	p := c.Picture() // c.Save("figures", "distance") writes an SVG and a PNG
	fmt.Println(p.About)
	fmt.Println("the same bytes every time:", bytes.Equal(p.SVG(), c.Picture().SVG()))
	// Output:
	// relative distance against round: ADMM; what is needed
	// the same bytes every time: true
}
