// Shards: the part of a sweep that one job of a batch scheduler computes.

package sweep

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is part Index, from 0, of Count parts: the runs whose numbers leave
// that remainder. The zero value is the whole.
type Shard struct{ Index, Count int }

// ParseShard reads i/n.
func ParseShard(text string) (Shard, error) {
	left, right, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if !ok || err1 != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		hint := ""
		if i == n && n > 0 {
			hint = "; shards count from 0"
		}
		return Shard{}, fmt.Errorf("a shard is i/n with i from 0 to n−1, such as 0/8, not %q%s", text, hint)
	}
	return Shard{i, n}, nil
}

// Has says whether a run belongs to the shard.
func (s Shard) Has(index int) bool { return s.Count <= 1 || index%s.Count == s.Index }

// Directory is the name of a shard's directory.
func (s Shard) Directory() string {
	if s.Count == 0 {
		return "sweep"
	}
	return fmt.Sprintf("sweep-%d-of-%d", s.Index, s.Count)
}
