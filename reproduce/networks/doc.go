// Package networks has the studies of networks that measure runs and attack none: what lost and late messages do, and
// what a run costs. A file each; see package reproduce/studies for what a study is made of.
package networks
