// Package tex has the boxes that mathematics would come to.
package tex

// Node is a box.
type Node interface {
	Width() float64
	Height() float64
	Depth() float64
}

// Tree is a box of boxes.
type Tree interface{ Node }

// Ship draws none.
type Ship struct{}

// Call does nothing.
func (*Ship) Call(float64, float64, Tree) {}
