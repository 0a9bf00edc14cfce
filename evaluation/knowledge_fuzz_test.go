// What is read as knowledge can be used, or is said to be damaged.

package evaluation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/record"
)

func FuzzKnowledge(f *testing.F) {
	f.Add([]byte(`{"columns": 2, "victims": [{"node": 0, "size": 3, "others": {"x": [[1, 2]], "y": [1]}}]}`))
	f.Add([]byte(`{"columns": 2, "data": {"1": null}, "victims": [{"node": 1, "blocks": [null]}]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, knowledgeFile), b, 0o644); err != nil {
			t.Fatal(err)
		}
		k, err := readKnowledge(&record.Run{Dir: dir, Info: new(record.Info)})
		if err != nil {
			if !strings.Contains(err.Error(), knowledgeFile) {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for v := range k.Victims {
			_ = k.about(&k.Victims[v])
		}
	})
}
