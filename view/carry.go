// Attacks are carried out, for a page that is whole or for one that is looked at meanwhile.

package view

import "context"

// Carry carries the attacks of the runs' adversaries out. Before each time told gets how often those on a run were, and
// how often they may be.
func (d *Document) Carry(ctx context.Context, told func(done, most int)) error {
	if err := d.carry(ctx, func(_, done, most int) { told(done, most) }); err != nil {
		return err
	}
	d.enter()
	return nil
}

// carry carries the attacks out, one run's after the other's.
func (d *Document) carry(ctx context.Context, told func(run, done, most int)) error {
	for k, a := range d.advancing {
		for more := a != nil; more; {
			done, most := a.Done()
			told(k, done, most)
			var err error
			if more, err = a.Next(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// enter enters what the attacks have come to in the end.
func (d *Document) enter() {
	for k, a := range d.advancing {
		if a != nil {
			d.Runs[k].Attack = attackOf(a.Result())
		}
	}
	d.advancing = nil
}
