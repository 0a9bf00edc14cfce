// Mathematics in texts: TeX between dollar signs as plain text, and plain text as TeX.

package plot

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// tex are the signs that mean something to TeX.
var tex = strings.NewReplacer(`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `%`, `\%`, `$`, `\$`, `#`, `\#`,
	`&`, `\&`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`)

// mathematics are the signs that TeX has commands for, and these.
var mathematics = map[string]string{
	"α": `\alpha`, "β": `\beta`, "γ": `\gamma`, "δ": `\delta`, "ε": `\varepsilon`, "ζ": `\zeta`, "η": `\eta`,
	"θ": `\theta`, "κ": `\kappa`, "λ": `\lambda`, "μ": `\mu`, "ν": `\nu`, "ξ": `\xi`, "π": `\pi`, "ρ": `\rho`,
	"σ": `\sigma`, "τ": `\tau`, "φ": `\varphi`, "χ": `\chi`, "ψ": `\psi`, "ω": `\omega`, "Δ": `\Delta`,
	"Σ": `\Sigma`, "Ω": `\Omega`, "∇": `\nabla`, "∞": `\infty`, "‖": `\|`, "≤": `\leq`, "≥": `\geq`,
	"−": `-`, "×": `\times`, "·": `\cdot`, "½": `\frac12`, "→": `\to`, "∈": `\in`, "√": `\surd`,
}

// signs are the commands of mathematics, the longest first, and their signs.
var signs = func() *strings.Replacer {
	names := slices.SortedFunc(maps.Keys(mathematics), func(a, b string) int {
		return cmp.Or(len(mathematics[b])-len(mathematics[a]), strings.Compare(a, b))
	})
	var pairs []string
	for _, sign := range names {
		pairs = append(pairs, mathematics[sign], sign)
	}
	return strings.NewReplacer(append(pairs, `\epsilon`, "ε", `\phi`, "φ", `\le`, "≤", `\ge`, "≥", `\mathrm`, "",
		`\text`, "", `\,`, " ", "{", "", "}", "", "_", "")...)
}()

var power = regexp.MustCompile(`\^\{?(-?[0-9]+)\}?`)

// plainMath is a text in which what stands between dollar signs is no longer TeX: η for $\eta$, 10⁻³ for $10^{-3}$.
func plainMath(txt string) string {
	parts := strings.Split(txt, "$")
	if len(parts)%2 == 0 { // one without its other
		return txt
	}
	for k := 1; k < len(parts); k += 2 {
		part := power.ReplaceAllStringFunc(parts[k], func(p string) string {
			return raise.Replace(strings.Trim(p, "^{}"))
		})
		parts[k] = signs.Replace(part)
	}
	return strings.Join(parts, "")
}

// forTeX is a line of text for TeX; what stands between dollar signs is so already.
func forTeX(txt string) string {
	parts := strings.Split(txt, "$")
	if len(parts)%2 == 0 {
		return wordsForTeX(txt)
	}
	for k := range parts {
		if k%2 == 0 {
			parts[k] = wordsForTeX(parts[k])
		} else {
			parts[k] = "$" + parts[k] + "$"
		}
	}
	return strings.Join(parts, "")
}

// wordsForTeX is a line of text with its exponents raised.
func wordsForTeX(txt string) string {
	var b strings.Builder
	raised := ""
	end := func() {
		if raised != "" {
			b.WriteString(`\textsuperscript{` + strings.ReplaceAll(lower.Replace(raised), "−", "$-$") + `}`)
			raised = ""
		}
	}
	for _, r := range txt {
		if strings.ContainsRune(exponents, r) {
			raised += string(r)
			continue
		}
		end()
		if command := mathematics[string(r)]; command != "" {
			b.WriteString("$" + command + "$")
			continue
		}
		b.WriteString(tex.Replace(string(r)))
	}
	end()
	return b.String()
}
