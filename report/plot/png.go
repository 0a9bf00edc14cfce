// Images as PNG files. A chart is large, and nearly all of it is ground: the library's encoder for full colours, which
// tries several filters on every byte, takes longer than all else that a short run does.

//go:build !page

package plot

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"sync"

	"git.sr.ht/~sbinet/gg"
	interpolation "golang.org/x/image/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

func init() { writers["png"] = (*Picture).PNG }

// PNG is the picture with 180 dots an inch, on white ground.
func (p *Picture) PNG() []byte {
	const dpi = 180
	width, height := p.canvasSize(true)
	dots := func(points float64) int { return int(points/72*dpi + 0.5) }
	e := easels.Get().(*easel)
	defer easels.Put(e)
	m := e.image(dots(width), dots(height))
	context := gg.NewContextForRGBA(m) // that vgimg makes copies the picture twice
	context.SetLineCapButt()
	context.InvertY()
	context.SetInterpolator(interpolation.NearestNeighbor) // text is upright or turned by a quarter: as sharp as it is
	// The canvas begins with white, which is the ground.
	p.draw(vgimg.NewWith(vgimg.UseDPI(dpi), vgimg.UseImageWithContext(m, context)), true)
	return e.encode(m)
}

// easel has the memory that drawings need one after another: several megabytes, of which to get new ones takes as long
// as to draw.
type easel struct{ colours, places []uint8 }

var easels = sync.Pool{New: func() any { return new(easel) }}

// image is an image of that size; what is on it is of the last drawing.
func (e *easel) image(width, height int) *image.RGBA {
	if n := 4 * width * height; len(e.colours) < n {
		e.colours = make([]uint8, n)
	}
	return &image.RGBA{Pix: e.colours[:4*width*height], Stride: 4 * width, Rect: image.Rect(0, 0, width, height)}
}

// encoders keeps the buffers of the library's encoder.
type encoders struct{ sync.Pool }

// Get is a buffer, nil if none is kept.
func (e *encoders) Get() *png.EncoderBuffer {
	b, _ := e.Pool.Get().(*png.EncoderBuffer)
	return b
}

// Put keeps a buffer.
func (e *encoders) Put(b *png.EncoderBuffer) { e.Pool.Put(b) }

var buffers encoders

// encode is an opaque image as a file, with a byte a pixel if it has few colours, as charts have.
func (e *easel) encode(m *image.RGBA) []byte {
	var b bytes.Buffer
	if p := e.paletted(m); p != nil {
		(&png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &buffers}).Encode(&b, p) // a buffer takes everything
	} else {
		png.Encode(&b, m)
	}
	return b.Bytes()
}

// nearby are the bits of a pixel in which colours may differ that become one: edges of lines and letters have hundreds
// of shades, which differ by less than anyone sees.
const nearby = 0x03030303

// paletted is the image with a palette of its colours, in the order in which they first occur; of colours that are
// nearly equal the first stands for all. It is nil if there are more than 256.
func (e *easel) paletted(m *image.RGBA) *image.Paletted {
	if n := len(m.Pix) / 4; len(e.places) < n {
		e.places = make([]uint8, n)
	}
	p := &image.Paletted{Pix: e.places[:len(m.Pix)/4], Stride: m.Rect.Dx(), Rect: m.Rect}
	places := map[uint32]uint8{}
	const some = 32 // pixels of a row, which are mostly those above them

	last, place := uint32(0), uint8(0) // no pixel is 0, which is not opaque
	for y := range m.Rect.Dy() {
		for left := 0; left < p.Stride; left += some {
			at, n := y*p.Stride+left, min(some, p.Stride-left)
			row, to, above := m.Pix[y*m.Stride+4*left:][:4*n], p.Pix[at:][:n], at-p.Stride
			if y > 0 && bytes.Equal(row, m.Pix[(y-1)*m.Stride+4*left:][:4*n]) {
				copy(to, p.Pix[above:])
				continue
			}
			for x := range to {
				c := binary.LittleEndian.Uint32(row[4*x:])
				if c != last { // neighbours are often equal
					known := false
					if place, known = places[c&^nearby]; !known {
						if len(p.Palette) == 256 {
							return nil
						}
						place = uint8(len(p.Palette))
						places[c&^nearby] = place
						p.Palette = append(p.Palette, color.RGBA{row[4*x], row[4*x+1], row[4*x+2], row[4*x+3]})
					}
					last = c
				}
				to[x] = place
			}
		}
	}
	return p
}
