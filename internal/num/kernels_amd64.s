// AVX2 kernels. Each has the same bits as its counterpart in Go: the same chains of additions, products rounded before
// they are added.

#include "textflag.h"

// Lane masks for the last 0 to 3 numbers: 4−n words in.
DATA tailMask<>+0x00(SB)/8, $-1
DATA tailMask<>+0x08(SB)/8, $-1
DATA tailMask<>+0x10(SB)/8, $-1
DATA tailMask<>+0x18(SB)/8, $-1
DATA tailMask<>+0x20(SB)/8, $0
DATA tailMask<>+0x28(SB)/8, $0
DATA tailMask<>+0x30(SB)/8, $0
DATA tailMask<>+0x38(SB)/8, $0
GLOBL tailMask<>(SB), RODATA|NOPTR, $64

// func dotAVX2(x, y *float64, n int) float64
// Chains 0 to 3 are the lanes of Y0, chains 4 to 7 those of Y1.
TEXT ·dotAVX2(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), SI
	MOVQ   y+8(FP), DI
	MOVQ   n+16(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	SUBQ   $8, CX
	JLT    rest

loop:
	VMOVUPD (SI), Y2
	VMOVUPD 32(SI), Y3
	VMULPD  (DI), Y2, Y2
	VMULPD  32(DI), Y3, Y3
	VADDPD  Y2, Y0, Y0
	VADDPD  Y3, Y1, Y1
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $8, CX
	JGE     loop

rest:
	ADDQ    $8, CX            // 0 to 7 are left
	JEQ     sum
	LEAQ    tailMask<>(SB), R8
	CMPQ    CX, $4
	JLT     first
	VMOVUPD (SI), Y2
	VMULPD  (DI), Y2, Y2
	VADDPD  Y2, Y0, Y0
	SUBQ    $4, CX
	JEQ     sum
	ADDQ    $32, SI
	ADDQ    $32, DI
	SHLQ    $3, CX
	SUBQ    CX, R8
	VMOVUPD 32(R8), Y4
	VMASKMOVPD (SI), Y4, Y2
	VMASKMOVPD (DI), Y4, Y3
	VMULPD  Y3, Y2, Y2
	VADDPD  Y2, Y1, Y1
	JMP     sum

first:
	SHLQ    $3, CX
	SUBQ    CX, R8
	VMOVUPD 32(R8), Y4
	VMASKMOVPD (SI), Y4, Y2
	VMASKMOVPD (DI), Y4, Y3
	VMULPD  Y3, Y2, Y2
	VADDPD  Y2, Y0, Y0

sum:
	VADDPD       Y1, Y0, Y0   // l_j = a_j + a_{j+4}
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0   // l_0 + l_2, l_1 + l_3
	VPERMILPD    $1, X0, X1
	VADDSD       X1, X0, X0
	VZEROUPPER
	MOVSD        X0, ret+24(FP)
	RET

// func axpyAVX2(a float64, x, y *float64, n int)
TEXT ·axpyAVX2(SB), NOSPLIT, $0-32
	VBROADCASTSD a+0(FP), Y0
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         n+24(FP), CX
	SUBQ         $8, CX
	JLT          rest

loop:
	VMULPD  (SI), Y0, Y1
	VMULPD  32(SI), Y0, Y2
	VADDPD  (DI), Y1, Y1
	VADDPD  32(DI), Y2, Y2
	VMOVUPD Y1, (DI)
	VMOVUPD Y2, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $8, CX
	JGE     loop

rest:
	ADDQ    $8, CX
	JEQ     done
	CMPQ    CX, $4
	JLT     last
	VMULPD  (SI), Y0, Y1
	VADDPD  (DI), Y1, Y1
	VMOVUPD Y1, (DI)
	SUBQ    $4, CX
	JEQ     done
	ADDQ    $32, SI
	ADDQ    $32, DI

last:
	LEAQ       tailMask<>(SB), R8
	SHLQ       $3, CX
	SUBQ       CX, R8
	VMOVUPD    32(R8), Y4
	VMASKMOVPD (SI), Y4, Y1
	VMASKMOVPD (DI), Y4, Y2
	VMULPD     Y1, Y0, Y1
	VADDPD     Y2, Y1, Y1
	VMASKMOVPD Y1, Y4, (DI)

done:
	VZEROUPPER
	RET

DATA slope<>+0x00(SB)/8, $700.0
DATA slope<>+0x08(SB)/8, $-700.0
DATA slope<>+0x10(SB)/8, $1.44269504088896338700e+00
DATA slope<>+0x18(SB)/8, $0.5
DATA slope<>+0x20(SB)/8, $6.93147180369123816490e-01
DATA slope<>+0x28(SB)/8, $1.90821492927058770002e-10
DATA slope<>+0x30(SB)/8, $1.66666666666666657415e-01
DATA slope<>+0x38(SB)/8, $-2.77777777770155933842e-03
DATA slope<>+0x40(SB)/8, $6.61375632143793436117e-05
DATA slope<>+0x48(SB)/8, $-1.65339022054652515390e-06
DATA slope<>+0x50(SB)/8, $4.13813679705723846039e-08
DATA slope<>+0x58(SB)/8, $2.0
DATA slope<>+0x60(SB)/8, $1.0
DATA slope<>+0x68(SB)/8, $1023
DATA slope<>+0x70(SB)/8, $0x8000000000000000
GLOBL slope<>(SB), RODATA|NOPTR, $120

// func slopesAVX2(dst, z *float64, n int)
// n is a multiple of 4. The steps are those of logisticSlopes.
TEXT ·slopesAVX2(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         z+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD slope<>+0x00(SB), Y15 // 700
	VBROADCASTSD slope<>+0x08(SB), Y14 // −700
	VBROADCASTSD slope<>+0x10(SB), Y13 // 1/ln 2
	VBROADCASTSD slope<>+0x70(SB), Y12 // the sign
	VBROADCASTSD slope<>+0x18(SB), Y11 // ½
	VBROADCASTSD slope<>+0x20(SB), Y10
	VBROADCASTSD slope<>+0x28(SB), Y9
	VBROADCASTSD slope<>+0x58(SB), Y8  // 2
	VBROADCASTSD slope<>+0x60(SB), Y7  // 1
	VPBROADCASTQ slope<>+0x68(SB), Y6  // 1023
	SUBQ         $4, CX
	JLT          done

loop:
	VMOVUPD    (SI), Y0
	VMINPD     Y15, Y0, Y0         // the second, 700, if v is NaN
	VMAXPD     Y14, Y0, Y0
	VMULPD     Y13, Y0, Y1
	VANDPD     Y12, Y0, Y2
	VORPD      Y11, Y2, Y2         // ±½ with the sign of v
	VADDPD     Y2, Y1, Y1
	VCVTTPD2DQY Y1, X1             // k
	VCVTDQ2PD  X1, Y2
	VPMOVSXDQ  X1, Y1
	VMULPD     Y10, Y2, Y3
	VSUBPD     Y3, Y0, Y0          // hi
	VMULPD     Y9, Y2, Y2
	VSUBPD     Y2, Y0, Y0          // r
	VMULPD     Y0, Y0, Y3          // t
	VBROADCASTSD slope<>+0x50(SB), Y4
	VMULPD     Y3, Y4, Y4
	VBROADCASTSD slope<>+0x48(SB), Y5
	VADDPD     Y5, Y4, Y4
	VMULPD     Y3, Y4, Y4
	VBROADCASTSD slope<>+0x40(SB), Y5
	VADDPD     Y5, Y4, Y4
	VMULPD     Y3, Y4, Y4
	VBROADCASTSD slope<>+0x38(SB), Y5
	VADDPD     Y5, Y4, Y4
	VMULPD     Y3, Y4, Y4
	VBROADCASTSD slope<>+0x30(SB), Y5
	VADDPD     Y5, Y4, Y4
	VMULPD     Y3, Y4, Y4
	VSUBPD     Y4, Y0, Y4          // c
	VSUBPD     Y4, Y8, Y5          // d = 2 − c
	VADDPD     Y7, Y0, Y3          // 1 + r
	VMULPD     Y3, Y5, Y3
	VMULPD     Y4, Y0, Y4
	VADDPD     Y4, Y3, Y3          // n
	VPADDQ     Y6, Y1, Y1
	VPSLLQ     $52, Y1, Y1         // 2^k
	VMULPD     Y1, Y3, Y3
	VADDPD     Y5, Y3, Y3
	VXORPD     Y12, Y5, Y5
	VDIVPD     Y3, Y5, Y5
	VMOVUPD    Y5, (DI)
	ADDQ       $32, SI
	ADDQ       $32, DI
	SUBQ       $4, CX
	JGE        loop

done:
	VZEROUPPER
	RET

// func slopesAVX512(dst, z *float64, n int)
// n is a multiple of 8. The steps are those of slopesAVX2.
TEXT ·slopesAVX512(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         z+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD slope<>+0x00(SB), Z15 // 700
	VBROADCASTSD slope<>+0x08(SB), Z14 // −700
	VBROADCASTSD slope<>+0x10(SB), Z13 // 1/ln 2
	VBROADCASTSD slope<>+0x70(SB), Z12 // the sign
	VBROADCASTSD slope<>+0x18(SB), Z11 // ½
	VBROADCASTSD slope<>+0x20(SB), Z10
	VBROADCASTSD slope<>+0x28(SB), Z9
	VBROADCASTSD slope<>+0x58(SB), Z8  // 2
	VBROADCASTSD slope<>+0x60(SB), Z7  // 1
	VPBROADCASTQ slope<>+0x68(SB), Z6  // 1023
	VBROADCASTSD slope<>+0x50(SB), Z16
	VBROADCASTSD slope<>+0x48(SB), Z17
	VBROADCASTSD slope<>+0x40(SB), Z18
	VBROADCASTSD slope<>+0x38(SB), Z19
	VBROADCASTSD slope<>+0x30(SB), Z20
	SUBQ         $8, CX
	JLT          done

loop:
	VMOVUPD    (SI), Z0
	VMINPD     Z15, Z0, Z0         // the second, 700, if v is NaN
	VMAXPD     Z14, Z0, Z0
	VMULPD     Z13, Z0, Z1
	VPANDQ     Z12, Z0, Z2
	VPORQ      Z11, Z2, Z2         // ±½ with the sign of v
	VADDPD     Z2, Z1, Z1
	VCVTTPD2DQ Z1, Y1              // k
	VCVTDQ2PD  Y1, Z2
	VPMOVSXDQ  Y1, Z1
	VMULPD     Z10, Z2, Z3
	VSUBPD     Z3, Z0, Z0          // hi
	VMULPD     Z9, Z2, Z2
	VSUBPD     Z2, Z0, Z0          // r
	VMULPD     Z0, Z0, Z3          // t
	VMULPD     Z3, Z16, Z4
	VADDPD     Z17, Z4, Z4
	VMULPD     Z3, Z4, Z4
	VADDPD     Z18, Z4, Z4
	VMULPD     Z3, Z4, Z4
	VADDPD     Z19, Z4, Z4
	VMULPD     Z3, Z4, Z4
	VADDPD     Z20, Z4, Z4
	VMULPD     Z3, Z4, Z4
	VSUBPD     Z4, Z0, Z4          // c
	VSUBPD     Z4, Z8, Z5          // d = 2 − c
	VADDPD     Z7, Z0, Z3          // 1 + r
	VMULPD     Z3, Z5, Z3
	VMULPD     Z4, Z0, Z4
	VADDPD     Z4, Z3, Z3          // n
	VPADDQ     Z6, Z1, Z1
	VPSLLQ     $52, Z1, Z1         // 2^k
	VMULPD     Z1, Z3, Z3
	VADDPD     Z5, Z3, Z3
	VPXORQ     Z12, Z5, Z5
	VDIVPD     Z3, Z5, Z5
	VMOVUPD    Z5, (DI)
	ADDQ       $64, SI
	ADDQ       $64, DI
	SUBQ       $8, CX
	JGE        loop

done:
	VZEROUPPER
	RET

// MAC adds the products of four numbers of a row, at AX, and Y8 to a register; LAST of the last one to three of them.
#define MAC(P, AT, X, ACC) \
	VMULPD AT(P)(AX*8), X, Y10 \
	VADDPD Y10, ACC, ACC

#define LAST(P, ACC) \
	VMASKMOVPD (P)(AX*8), Y13, Y10 \
	VMULPD     Y10, Y8, Y10 \
	VADDPD     Y10, ACC, ACC

// LASTS loads the mask for the CX numbers that are left, and those of x, and adds the products of all rows.
#define LASTS(A, B, C, D) \
	SHLQ       $3, CX \
	SUBQ       CX, DX \
	VMOVUPD    32(DX), Y13 \
	VMASKMOVPD (SI)(AX*8), Y13, Y8 \
	LAST(R8, A) \
	LAST(R9, B) \
	LAST(R10, C) \
	LAST(R11, D)

// SUM adds the chains of two registers as dotAVX2 does and leaves the sum in the low half of the first.
#define SUM(A, B, XA) \
	VADDPD       B, A, A   \
	VEXTRACTF128 $1, A, X12 \
	VADDPD       X12, XA, XA \
	VPERMILPD    $1, XA, X12 \
	VADDSD       X12, XA, XA

// func dot4AVX2(out *[4]float64, a, b, c, d, x *float64, n int)
// Four times dotAVX2 with one x.
TEXT ·dot4AVX2(SB), NOSPLIT, $0-56
	MOVQ   out+0(FP), DI
	MOVQ   a+8(FP), R8
	MOVQ   b+16(FP), R9
	MOVQ   c+24(FP), R10
	MOVQ   d+32(FP), R11
	MOVQ   x+40(FP), SI
	MOVQ   n+48(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	XORQ   AX, AX
	SUBQ   $8, CX
	JLT    rest

loop:
	VMOVUPD (SI)(AX*8), Y8
	VMOVUPD 32(SI)(AX*8), Y9
	MAC(R8, 0, Y8, Y0)
	MAC(R8, 32, Y9, Y1)
	MAC(R9, 0, Y8, Y2)
	MAC(R9, 32, Y9, Y3)
	MAC(R10, 0, Y8, Y4)
	MAC(R10, 32, Y9, Y5)
	MAC(R11, 0, Y8, Y6)
	MAC(R11, 32, Y9, Y7)
	ADDQ    $8, AX
	SUBQ    $8, CX
	JGE     loop

rest:
	ADDQ    $8, CX
	JEQ     sum
	LEAQ    tailMask<>(SB), DX
	CMPQ    CX, $4
	JLT     first
	VMOVUPD (SI)(AX*8), Y8
	MAC(R8, 0, Y8, Y0)
	MAC(R9, 0, Y8, Y2)
	MAC(R10, 0, Y8, Y4)
	MAC(R11, 0, Y8, Y6)
	SUBQ    $4, CX
	JEQ     sum
	ADDQ    $4, AX
	LASTS(Y1, Y3, Y5, Y7)
	JMP     sum

first:
	LASTS(Y0, Y2, Y4, Y6)

sum:
	SUM(Y0, Y1, X0)
	SUM(Y2, Y3, X2)
	SUM(Y4, Y5, X4)
	SUM(Y6, Y7, X6)
	VMOVSD X0, (DI)
	VMOVSD X2, 8(DI)
	VMOVSD X4, 16(DI)
	VMOVSD X6, 24(DI)
	VZEROUPPER
	RET

// LESS takes the product of a number of L and one that is found off another.
#define LESS(L, X, FROM) \
	VMULSD L, X, X12 \
	VSUBSD X12, FROM, FROM

// func forwardAVX2(packed, b *float64, n int)
// The first step of Cholesky.Solve for n numbers, a multiple of 4. What four rows found is stored at once, as the next
// rows load it: a load of several stores waits for all of them. Of many nodes' factors none is in a near cache, so that
// rows are asked for a page before they are read.
TEXT ·forwardAVX2(SB), NOSPLIT, $0-24
	MOVQ   packed+0(FP), R8
	MOVQ   b+8(FP), SI
	MOVQ   n+16(FP), DI
	XORQ   AX, AX             // the first of four rows, at R8 to R11

rows:
	CMPQ   AX, DI
	JGE    done
	LEAQ   8(R8)(AX*8), R9
	LEAQ   16(R9)(AX*8), R10
	LEAQ   24(R10)(AX*8), R11
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	MOVQ   AX, CX
	XORQ   AX, AX
	SUBQ   $8, CX
	JLT    rest

loop:
	PREFETCHT0 4096(R8)(AX*8)
	PREFETCHT0 4096(R9)(AX*8)
	PREFETCHT0 4096(R10)(AX*8)
	PREFETCHT0 4096(R11)(AX*8)
	VMOVUPD (SI)(AX*8), Y8
	VMOVUPD 32(SI)(AX*8), Y9
	MAC(R8, 0, Y8, Y0)
	MAC(R8, 32, Y9, Y1)
	MAC(R9, 0, Y8, Y2)
	MAC(R9, 32, Y9, Y3)
	MAC(R10, 0, Y8, Y4)
	MAC(R10, 32, Y9, Y5)
	MAC(R11, 0, Y8, Y6)
	MAC(R11, 32, Y9, Y7)
	ADDQ    $8, AX
	SUBQ    $8, CX
	JGE     loop

rest:
	ADDQ    $8, CX            // 0 or 4 are left
	JEQ     sum
	VMOVUPD (SI)(AX*8), Y8
	MAC(R8, 0, Y8, Y0)
	MAC(R9, 0, Y8, Y2)
	MAC(R10, 0, Y8, Y4)
	MAC(R11, 0, Y8, Y6)
	ADDQ    $4, AX

sum:
	SUM(Y0, Y1, X0)
	SUM(Y2, Y3, X2)
	SUM(Y4, Y5, X4)
	SUM(Y6, Y7, X6)
	VMOVSD  (SI)(AX*8), X8
	VMOVSD  8(SI)(AX*8), X9
	VMOVSD  16(SI)(AX*8), X10
	VMOVSD  24(SI)(AX*8), X11
	VSUBSD  X0, X8, X0
	VSUBSD  X2, X9, X2
	VSUBSD  X4, X10, X4
	VSUBSD  X6, X11, X6
	VMULSD  (R8)(AX*8), X0, X0
	LESS((R9)(AX*8), X0, X2)
	VMULSD  8(R9)(AX*8), X2, X2
	LESS((R10)(AX*8), X0, X4)
	LESS(8(R10)(AX*8), X2, X4)
	VMULSD  16(R10)(AX*8), X4, X4
	LESS((R11)(AX*8), X0, X6)
	LESS(8(R11)(AX*8), X2, X6)
	LESS(16(R11)(AX*8), X4, X6)
	VMULSD  24(R11)(AX*8), X6, X6
	VUNPCKLPD   X2, X0, X0
	VUNPCKLPD   X6, X4, X4
	VINSERTF128 $1, X4, Y0, Y0
	VMOVUPD Y0, (SI)(AX*8)
	LEAQ    32(R11)(AX*8), R8
	ADDQ    $4, AX
	JMP     rows

done:
	VZEROUPPER
	RET

// func backwardAVX2(packed, b *float64, n int)
// The last step of Cholesky.Solve for n numbers, a multiple of 4. The numbers that the next rows wait for come first.
TEXT ·backwardAVX2(SB), NOSPLIT, $0-24
	MOVQ   packed+0(FP), R8
	MOVQ   b+8(FP), SI
	MOVQ   n+16(FP), AX       // after the last of four rows, at R8 to R11
	LEAQ   1(AX), CX
	IMULQ  AX, CX
	LEAQ   (R8)(CX*4), R8     // after row n−1: the packed triangle is n(n+1)/2 numbers

rows:
	SUBQ   $4, AX
	JLT    done
	LEAQ   10(AX*4), CX       // numbers in the four rows
	SHLQ   $3, CX
	SUBQ   CX, R8
	LEAQ   8(R8)(AX*8), R9
	LEAQ   16(R9)(AX*8), R10
	LEAQ   24(R10)(AX*8), R11
	VMOVSD (SI)(AX*8), X0
	VMOVSD 8(SI)(AX*8), X1
	VMOVSD 16(SI)(AX*8), X2
	VMOVSD 24(SI)(AX*8), X3
	VMULSD 24(R11)(AX*8), X3, X3
	LESS(16(R11)(AX*8), X3, X2)
	LESS(8(R11)(AX*8), X3, X1)
	LESS((R11)(AX*8), X3, X0)
	VMULSD 16(R10)(AX*8), X2, X2
	LESS(8(R10)(AX*8), X2, X1)
	LESS((R10)(AX*8), X2, X0)
	VMULSD 8(R9)(AX*8), X1, X1
	LESS((R9)(AX*8), X1, X0)
	VMULSD (R8)(AX*8), X0, X0
	VMOVSD X0, (SI)(AX*8)
	VMOVSD X1, 8(SI)(AX*8)
	VMOVSD X2, 16(SI)(AX*8)
	VMOVSD X3, 24(SI)(AX*8)
	VBROADCASTSD X0, Y0
	VBROADCASTSD X1, Y1
	VBROADCASTSD X2, Y2
	VBROADCASTSD X3, Y3
	MOVQ   AX, CX

loop:
	SUBQ    $4, CX
	JLT     rows
	VMOVUPD (SI)(CX*8), Y8
	VMULPD  (R11)(CX*8), Y3, Y4
	VMULPD  (R10)(CX*8), Y2, Y5
	VMULPD  (R9)(CX*8), Y1, Y6
	VMULPD  (R8)(CX*8), Y0, Y7
	VSUBPD  Y4, Y8, Y8
	VSUBPD  Y5, Y8, Y8
	VSUBPD  Y6, Y8, Y8
	VSUBPD  Y7, Y8, Y8
	VMOVUPD Y8, (SI)(CX*8)
	JMP     loop

done:
	VZEROUPPER
	RET

// ADDLAST adds a multiple of the last numbers of a row to Y8.
#define ADDLAST(P, K) \
	VMASKMOVPD (P)(AX*8), Y13, Y9 \
	VMULPD     Y9, K, Y9 \
	VADDPD     Y9, Y8, Y8

// func axpy4AVX2(k *[4]float64, a, b, c, d, y *float64, n int)
// axpyAVX2 of a, b, c and d, one after the other.
TEXT ·axpy4AVX2(SB), NOSPLIT, $0-56
	MOVQ         k+0(FP), DI
	VBROADCASTSD (DI), Y0
	VBROADCASTSD 8(DI), Y1
	VBROADCASTSD 16(DI), Y2
	VBROADCASTSD 24(DI), Y3
	MOVQ         a+8(FP), R8
	MOVQ         b+16(FP), R9
	MOVQ         c+24(FP), R10
	MOVQ         d+32(FP), R11
	MOVQ         y+40(FP), SI
	MOVQ         n+48(FP), CX
	XORQ         AX, AX
	SUBQ         $4, CX
	JLT          rest

loop:
	VMOVUPD (SI)(AX*8), Y8
	VMULPD  (R8)(AX*8), Y0, Y9
	VMULPD  (R9)(AX*8), Y1, Y10
	VMULPD  (R10)(AX*8), Y2, Y11
	VMULPD  (R11)(AX*8), Y3, Y12
	VADDPD  Y9, Y8, Y8
	VADDPD  Y10, Y8, Y8
	VADDPD  Y11, Y8, Y8
	VADDPD  Y12, Y8, Y8
	VMOVUPD Y8, (SI)(AX*8)
	ADDQ    $4, AX
	SUBQ    $4, CX
	JGE     loop

rest:
	ADDQ       $4, CX
	JEQ        done
	LEAQ       tailMask<>(SB), DX
	SHLQ       $3, CX
	SUBQ       CX, DX
	VMOVUPD    32(DX), Y13
	VMASKMOVPD (SI)(AX*8), Y13, Y8
	ADDLAST(R8, Y0)
	ADDLAST(R9, Y1)
	ADDLAST(R10, Y2)
	ADDLAST(R11, Y3)
	VMASKMOVPD Y8, Y13, (SI)(AX*8)

done:
	VZEROUPPER
	RET

// func totalAVX2(out *[8]float64, z, slope *float64, n int)
// n is a multiple of 4: four sums of min(z, 0), and four products of max(−s, 1+s).
TEXT ·totalAVX2(SB), NOSPLIT, $0-32
	MOVQ         out+0(FP), DX
	MOVQ         z+8(FP), SI
	MOVQ         slope+16(FP), DI
	MOVQ         n+24(FP), CX
	VBROADCASTSD slope<>+0x60(SB), Y7 // 1
	VBROADCASTSD slope<>+0x70(SB), Y6 // the sign
	VXORPD       Y5, Y5, Y5
	VXORPD       Y0, Y0, Y0
	VMOVAPD      Y7, Y1
	SUBQ         $4, CX
	JLT          done

loop:
	VMOVUPD (SI), Y2
	VMOVUPD (DI), Y3
	VMINPD  Y2, Y5, Y2        // z where 0 < z does not hold
	VADDPD  Y2, Y0, Y0
	VADDPD  Y7, Y3, Y4
	VXORPD  Y6, Y3, Y3
	VMAXPD  Y3, Y4, Y3
	VMULPD  Y3, Y1, Y1
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     loop

done:
	VMOVUPD Y0, (DX)
	VMOVUPD Y1, 32(DX)
	VZEROUPPER
	RET

// ROW adds the products of a row's number, at AX, and eight of the columns' to two registers.
#define ROW(AT, A, B) \
	VBROADCASTSD AT(AX), Y10 \
	VMULPD       Y8, Y10, Y11 \
	VMULPD       Y9, Y10, Y12 \
	VADDPD       Y11, A, A \
	VADDPD       Y12, B, B

// func tileAVX2(out *[64]float64, a, b *float64, n int)
// The lanes are b's vectors. First the tile's upper four rows, then the lower.
TEXT ·tileAVX2(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ $2, DX

half:
	MOVQ   SI, AX
	MOVQ   b+16(FP), BX
	MOVQ   n+24(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7

loop:
	VMOVUPD (BX), Y8
	VMOVUPD 32(BX), Y9
	ROW(0, Y0, Y1)
	ROW(8, Y2, Y3)
	ROW(16, Y4, Y5)
	ROW(24, Y6, Y7)
	ADDQ    $64, AX
	ADDQ    $64, BX
	DECQ    CX
	JNE     loop
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	VMOVUPD Y6, 192(DI)
	VMOVUPD Y7, 224(DI)
	ADDQ    $32, SI
	ADDQ    $256, DI
	DECQ    DX
	JNE     half
	VZEROUPPER
	RET

// WIDE adds the products of a row's number, at AX, and eight of the columns' to a register.
#define WIDE(AT, T, ACC) \
	VMULPD.BCST AT(AX), Z8, T \
	VADDPD      T, ACC, ACC

// func tileAVX512(out *[64]float64, a, b *float64, n int)
TEXT ·tileAVX512(SB), NOSPLIT, $0-32
	MOVQ   out+0(FP), DI
	MOVQ   a+8(FP), AX
	MOVQ   b+16(FP), BX
	MOVQ   n+24(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7

loop:
	VMOVUPD (BX), Z8
	WIDE(0, Z9, Z0)
	WIDE(8, Z10, Z1)
	WIDE(16, Z11, Z2)
	WIDE(24, Z12, Z3)
	WIDE(32, Z13, Z4)
	WIDE(40, Z14, Z5)
	WIDE(48, Z15, Z6)
	WIDE(56, Z16, Z7)
	ADDQ    $64, AX
	ADDQ    $64, BX
	DECQ    CX
	JNE     loop
	VMOVUPD Z0, (DI)
	VMOVUPD Z1, 64(DI)
	VMOVUPD Z2, 128(DI)
	VMOVUPD Z3, 192(DI)
	VMOVUPD Z4, 256(DI)
	VMOVUPD Z5, 320(DI)
	VMOVUPD Z6, 384(DI)
	VMOVUPD Z7, 448(DI)
	VZEROUPPER
	RET

// MASK sets K1 to the CX lanes, 1 to 7, that are left.
#define MASK \
	MOVL  $1, DX \
	SHLL  CX, DX \
	DECL  DX \
	KMOVW DX, K1

// MACW adds the products of eight numbers of a row, at AX, and Z8 to a register; LASTW of those in K1.
#define MACW(P, T, ACC) \
	VMULPD (P)(AX*8), Z8, T \
	VADDPD T, ACC, ACC

#define LASTW(P, T, ACC) \
	VMOVUPD.Z (P)(AX*8), K1, T \
	VMULPD    T, Z8, T \
	VADDPD    T, ACC, ACC

// HALVES adds the upper chains of a register to the lower, and then sums as SUM does.
#define HALVES(Z, Y, X) \
	VEXTRACTF64X4 $1, Z, Y11 \
	SUM(Y, Y11, X)

// func dot4AVX512(out *[4]float64, a, b, c, d, x *float64, n int)
// dot4AVX2 with all eight chains in one register.
TEXT ·dot4AVX512(SB), NOSPLIT, $0-56
	MOVQ   out+0(FP), DI
	MOVQ   a+8(FP), R8
	MOVQ   b+16(FP), R9
	MOVQ   c+24(FP), R10
	MOVQ   d+32(FP), R11
	MOVQ   x+40(FP), SI
	MOVQ   n+48(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	XORQ   AX, AX
	SUBQ   $8, CX
	JLT    rest

loop:
	VMOVUPD (SI)(AX*8), Z8
	MACW(R8, Z4, Z0)
	MACW(R9, Z5, Z1)
	MACW(R10, Z6, Z2)
	MACW(R11, Z7, Z3)
	ADDQ    $8, AX
	SUBQ    $8, CX
	JGE     loop

rest:
	ADDQ      $8, CX
	JEQ       sum
	MASK
	VMOVUPD.Z (SI)(AX*8), K1, Z8
	LASTW(R8, Z4, Z0)
	LASTW(R9, Z5, Z1)
	LASTW(R10, Z6, Z2)
	LASTW(R11, Z7, Z3)

sum:
	HALVES(Z0, Y0, X0)
	HALVES(Z1, Y1, X1)
	HALVES(Z2, Y2, X2)
	HALVES(Z3, Y3, X3)
	VMOVSD X0, (DI)
	VMOVSD X1, 8(DI)
	VMOVSD X2, 16(DI)
	VMOVSD X3, 24(DI)
	VZEROUPPER
	RET

// func axpy4AVX512(k *[4]float64, a, b, c, d, y *float64, n int)
// axpy4AVX2 with eight lanes.
TEXT ·axpy4AVX512(SB), NOSPLIT, $0-56
	MOVQ         k+0(FP), DI
	VBROADCASTSD (DI), Z0
	VBROADCASTSD 8(DI), Z1
	VBROADCASTSD 16(DI), Z2
	VBROADCASTSD 24(DI), Z3
	MOVQ         a+8(FP), R8
	MOVQ         b+16(FP), R9
	MOVQ         c+24(FP), R10
	MOVQ         d+32(FP), R11
	MOVQ         y+40(FP), SI
	MOVQ         n+48(FP), CX
	XORQ         AX, AX
	SUBQ         $8, CX
	JLT          rest

loop:
	VMOVUPD (SI)(AX*8), Z8
	VMULPD  (R8)(AX*8), Z0, Z4
	VMULPD  (R9)(AX*8), Z1, Z5
	VMULPD  (R10)(AX*8), Z2, Z6
	VMULPD  (R11)(AX*8), Z3, Z7
	VADDPD  Z4, Z8, Z8
	VADDPD  Z5, Z8, Z8
	VADDPD  Z6, Z8, Z8
	VADDPD  Z7, Z8, Z8
	VMOVUPD Z8, (SI)(AX*8)
	ADDQ    $8, AX
	SUBQ    $8, CX
	JGE     loop

rest:
	ADDQ      $8, CX
	JEQ       done
	MASK
	VMOVUPD.Z (SI)(AX*8), K1, Z8
	VMOVUPD.Z (R8)(AX*8), K1, Z4
	VMOVUPD.Z (R9)(AX*8), K1, Z5
	VMOVUPD.Z (R10)(AX*8), K1, Z6
	VMOVUPD.Z (R11)(AX*8), K1, Z7
	VMULPD    Z4, Z0, Z4
	VMULPD    Z5, Z1, Z5
	VMULPD    Z6, Z2, Z6
	VMULPD    Z7, Z3, Z7
	VADDPD    Z4, Z8, Z8
	VADDPD    Z5, Z8, Z8
	VADDPD    Z6, Z8, Z8
	VADDPD    Z7, Z8, Z8
	VMOVUPD   Z8, K1, (SI)(AX*8)

done:
	VZEROUPPER
	RET
