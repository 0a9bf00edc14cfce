// Package fonts is the house's font, Liberation Sans, upright, regular and bold. A build for pages (tag page) has what
// texts are measured by, and no shapes of letters: a browser draws them, and here they would be a tenth of what it has
// to load.
package fonts

import (
	"encoding/binary"
	"maps"
	"slices"
	"unicode/utf16"
)

// Name is the family of what [Measures] leaves, which is no longer the font.
const Name = "Measures"

// family is the table of names of a font that has no other name than its family's.
func family(name string) []byte {
	text := utf16.Encode([]rune(name))
	var table []byte
	for _, v := range []uint16{
		0, 1, 18, // format, one name, where the texts begin
		3, 1, 0x409, 1, uint16(2 * len(text)), 0, // for Windows, in UTF-16, English, the family, length and place
	} {
		table = binary.BigEndian.AppendUint16(table, v)
	}
	for _, v := range text {
		table = binary.BigEndian.AppendUint16(table, v)
	}
	return table
}

// needed are the tables by which texts are measured.
var needed = []string{"OS/2", "cmap", "head", "hhea", "hmtx", "kern", "GPOS", "loca", "maxp", "post"}

// Measures are what is left of a font, a TTF file, without the shapes of its glyphs, its hints and its names: what
// characters have a glyph, how wide each is and alone or beside another, ascent and descent are the same.
func Measures(file []byte) []byte {
	be := binary.BigEndian
	kept := map[string][]byte{}
	for k := range int(be.Uint16(file[4:])) {
		entry := file[12+16*k:]
		if name := string(entry[:4]); slices.Contains(needed, name) {
			kept[name] = slices.Clone(file[be.Uint32(entry[8:]):][:be.Uint32(entry[12:])])
		}
	}
	clear(kept["loca"]) // no glyph has a shape
	kept["glyf"] = make([]byte, 4)
	const head, nameless = 32, 0x00030000 // of the table of glyphs' names: its length without any, and the version
	kept["post"] = kept["post"][:head]
	be.PutUint32(kept["post"], nameless)
	kept["name"] = family(Name)
	names := slices.Sorted(maps.Keys(kept))
	out := slices.Clone(file[:12])
	be.PutUint16(out[4:], uint16(len(names)))
	at := len(out) + 16*len(names)
	var tables []byte
	for _, name := range names {
		out = append(out, name...)
		out = be.AppendUint32(out, 0) // a sum, at which nobody looks
		out = be.AppendUint32(out, uint32(at+len(tables)))
		out = be.AppendUint32(out, uint32(len(kept[name])))
		tables = append(tables, kept[name]...)
		tables = append(tables, make([]byte, -len(tables)&3)...)
	}
	return append(out, tables...)
}
