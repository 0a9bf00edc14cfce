// Package num holds the few floating-point kernels on the digest path. Their
// results have the same bits on every architecture and CPU:
//
//   - a product that is added to something is converted explicitly,
//     float64(x*y) + z, which forbids the compiler to fuse the two roundings;
//   - exponentials and logarithms are computed here, from additions,
//     multiplications and divisions only, because the standard library has
//     assembly for them on some machines;
//   - sums run in a fixed order.
package num
