// Command simulate runs experiments in private distributed learning on a
// simulated network. `simulate --help` lists what it does.
//
// Exit codes: 0 done, 1 a run failed, 2 bad usage or scenario, 3 a verdict
// failed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"overhear/experiment"
	_ "overhear/external" // registers the method and the attack python
	"overhear/internal/guard"
	"overhear/internal/memory"
	"overhear/internal/plural"
	"overhear/scenarios"
)

// Exit codes.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitVerdict = 3
)

func main() { os.Exit(Main(os.Args[1:])) }

// Main runs the command and returns its exit code.
func Main(args []string) int {
	if err := memory.Suffices(); err != nil {
		failure(err, exitUsage)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), stopping()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	root := newRoot()
	root.SetArgs(args)
	err := guard.Func(func() error { return root.ExecuteContext(ctx) })()
	if err == nil {
		return 0
	}
	var mistake *guard.Panic
	if errors.As(err, &mistake) {
		failure(err, exitFailed)
		lastResort(os.Stderr, root, args, mistake)
		return exitFailed
	}
	if ctx.Err() != nil {
		err = interrupted(err, context.Cause(ctx))
	}
	code := exitCode(err)
	failure(err, code)
	return code
}

// interrupted is the error of a command that was interrupted, in a user's words where it says that a context was
// canceled, or by what.
func interrupted(err, cause error) error {
	for _, why := range []error{context.Canceled, cause} {
		if errors.Is(err, why) {
			return errors.New(strings.ReplaceAll(err.Error(), why.Error(), "stopped"))
		}
	}
	return err
}

// lastResort says of a mistake in the program where what was computed is and how to report
// the mistake. Its stack is in a file.
func lastResort(w io.Writer, root *cobra.Command, args []string, mistake *guard.Panic) {
	if c, _, err := root.Find(args); err == nil {
		if out := c.Flags().Lookup("out"); out != nil {
			fmt.Fprintf(w, "Seeds that were finished before are kept in %s.\n", out.Value)
		}
	}
	text := fmt.Sprintf("simulate %s, %s, %s/%s\narguments: %q\n\n%v\n\n%s", experiment.Version, runtime.Version(),
		runtime.GOOS, runtime.GOARCH, args, mistake, mistake.Stack)
	f, err := os.CreateTemp("", "simulate-mistake-*.txt")
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		fmt.Fprintf(w, "What happened could not be written to a file: %v\n", err)
		return
	}
	fmt.Fprintf(w, "To report it, open an issue where you have simulate from, with the scenario and with %s, "+
		"which says what happened and where.\n", f.Name())
}

// memoryLimit is the flag --max-memory.
type memoryLimit struct{}

func (memoryLimit) String() string { return "" }

// Type is what help calls the value.
func (memoryLimit) Type() string { return "size" }

// Set sets the limit of the process.
func (memoryLimit) Set(text string) error {
	bytes, err := memory.Parse(text)
	if err == nil {
		memory.SetLimit(bytes)
	}
	return err
}

// stopping are the signals that stop a command cleanly. That of a terminal that goes away is not among them where
// whoever started the command, such as nohup, has it ignored.
func stopping() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// usageError marks an error as the user's: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func exitCode(err error) int {
	var u usageError
	var m scenarios.Mistakes
	var setup experiment.SetupError
	switch {
	case errors.As(err, &u), errors.As(err, &m), errors.As(err, &setup):
		return exitUsage
	case errors.Is(err, experiment.ErrMismatch), errors.Is(err, errVerdict):
		return exitVerdict
	}
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "simulate",
		Short:         "Simulate private distributed learning on a network, deterministically",
		Version:       experiment.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("there is no command %q; see simulate --help", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cobra.AddTemplateFunc("build", build)
	root.SetVersionTemplate("{{.Name}} version {{build}}\n")
	root.PersistentFlags().Var(memoryLimit{}, "max-memory", "refuse what would take more, such as 64GB (default: what "+
		"this machine has)")
	root.PersistentFlags().BoolVar(&events, "events", false, "tell progress, directories and errors on standard error "+
		"as lines of JSON, for programs")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if v := (*pflag.InvalidValueError)(nil); errors.As(err, &v) {
			kind := map[string]string{"int": "a whole number", "int64": "a whole number", "float64": "a number",
				"bool": "true or false", "duration": "a time, such as 10s"}[v.GetFlag().Value.Type()]
			if kind != "" {
				return usage("--%s is %s, not %q; see %s --help", v.GetFlag().Name, kind, v.GetValue(), c.CommandPath())
			}
		}
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "" {
			path := "-" + unknown.GetSpecifiedShortnames()
			if _, missing := os.Lstat(path); missing == nil {
				return usage("%w; a path that begins with a dash is written %s", err, operand(path))
			}
		}
		return usage("%w; see %s --help", err, c.CommandPath())
	})
	root.AddCommand(newRun(), newFork(), newVerify(), newExport(), newDraw(), newData(), newList(), newSchema(),
		newExplain(), newNew(), newReproduce(), newAttack(), newAudit(), newReport(), newView(), newWhy(),
		newFuzz(), newSweep(), newDesign(), newSite(), newDocs())
	completeChanges(root)
	return root
}

// exactly asks for so many arguments, named in the command's usage line.
func exactly(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			if len(args) < n && len(c.ValidArgs) > 0 {
				return usage("%s takes one of %s", c.CommandPath(), strings.Join(c.ValidArgs, ", "))
			}
			return usage("%s takes %s, not %d: %s", c.CommandPath(), plural.Of(n, "argument"), len(args), c.UseLine())
		}
		return nil
	}
}
