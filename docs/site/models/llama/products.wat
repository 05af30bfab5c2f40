;; Packed weights times vectors, with SIMD: what products.js says in plain JavaScript, several times as fast.
;;
;; The page puts everything into one memory: first a line of unpacked numbers (one row of a matrix), then
;; vectors that come in and go out, then the file's weights, packed as llama.cpp packs them.
(module
  (memory (import "page" "memory") 1)
  (global $line i32 (i32.const 0))

  ;; A number of half precision (IEEE 754) as float32: its bits at their places, the exponent put right by a product.
  (func $half (param $at i32) (result f32)
    (local $bits i32)
    (local.set $bits (i32.load16_u (local.get $at)))
    (f32.copysign
      (f32.mul
        (f32.reinterpret_i32 (i32.shl (i32.and (local.get $bits) (i32.const 0x7fff)) (i32.const 13)))
        (f32.const 0x1p112))
      (f32.reinterpret_i32 (i32.shl (local.get $bits) (i32.const 16)))))

  ;; scale * number + shift for sixteen signed bytes, into sixteen float32 from `to` on.
  (func $spread (param $to i32) (param $bytes v128) (param $scale v128) (param $shift v128)
    (local $some v128)
    (local.set $some (i16x8.extend_low_i8x16_s (local.get $bytes)))
    (v128.store (local.get $to)
      (f32x4.add (local.get $shift) (f32x4.mul (local.get $scale)
        (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $some))))))
    (v128.store offset=16 (local.get $to)
      (f32x4.add (local.get $shift) (f32x4.mul (local.get $scale)
        (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $some))))))
    (local.set $some (i16x8.extend_high_i8x16_s (local.get $bytes)))
    (v128.store offset=32 (local.get $to)
      (f32x4.add (local.get $shift) (f32x4.mul (local.get $scale)
        (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $some))))))
    (v128.store offset=48 (local.get $to)
      (f32x4.add (local.get $shift) (f32x4.mul (local.get $scale)
        (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $some)))))))

  ;; Q4_1, 20 bytes for 32 numbers: scale and shift as halves, then sixteen low half bytes and sixteen high ones.
  (func $unpack_q4_1 (param $from i32) (param $width i32)
    (local $to i32) (local $end i32) (local $scale v128) (local $shift v128) (local $pairs v128)
    (local.set $to (global.get $line))
    (local.set $end (i32.add (local.get $to) (i32.shl (local.get $width) (i32.const 2))))
    (loop $blocks
      (local.set $scale (f32x4.splat (call $half (local.get $from))))
      (local.set $shift (f32x4.splat (call $half (i32.add (local.get $from) (i32.const 2)))))
      (local.set $pairs (v128.load offset=4 align=4 (local.get $from)))
      (call $spread (local.get $to)
        (v128.and (local.get $pairs) (i8x16.splat (i32.const 15))) (local.get $scale) (local.get $shift))
      (call $spread (i32.add (local.get $to) (i32.const 64))
        (i8x16.shr_u (local.get $pairs) (i32.const 4)) (local.get $scale) (local.get $shift))
      (local.set $from (i32.add (local.get $from) (i32.const 20)))
      (local.set $to (i32.add (local.get $to) (i32.const 128)))
      (br_if $blocks (i32.lt_u (local.get $to) (local.get $end)))))

  ;; Q8_0, 34 bytes for 32 numbers: scale as a half, then 32 signed bytes.
  (func $unpack_q8_0 (param $from i32) (param $width i32)
    (local $to i32) (local $end i32) (local $scale v128) (local $shift v128)
    (local.set $to (global.get $line))
    (local.set $end (i32.add (local.get $to) (i32.shl (local.get $width) (i32.const 2))))
    (loop $blocks
      (local.set $scale (f32x4.splat (call $half (local.get $from))))
      (call $spread (local.get $to)
        (v128.load offset=2 align=2 (local.get $from)) (local.get $scale) (local.get $shift))
      (call $spread (i32.add (local.get $to) (i32.const 64))
        (v128.load offset=18 align=2 (local.get $from)) (local.get $scale) (local.get $shift))
      (local.set $from (i32.add (local.get $from) (i32.const 34)))
      (local.set $to (i32.add (local.get $to) (i32.const 128)))
      (br_if $blocks (i32.lt_u (local.get $to) (local.get $end)))))

  ;; The unpacked line times a vector: sixteen products a round, in four sums of four.
  (func $dot (param $x i32) (param $width i32) (result f32)
    (local $at i32) (local $end i32) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $at (global.get $line))
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $width) (i32.const 2))))
    (loop $rounds
      (local.set $a (f32x4.add (local.get $a)
        (f32x4.mul (v128.load (local.get $at)) (v128.load (local.get $x)))))
      (local.set $b (f32x4.add (local.get $b)
        (f32x4.mul (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $x)))))
      (local.set $c (f32x4.add (local.get $c)
        (f32x4.mul (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $x)))))
      (local.set $d (f32x4.add (local.get $d)
        (f32x4.mul (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $x)))))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (local.set $x (i32.add (local.get $x) (i32.const 64)))
      (br_if $rounds (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $a (f32x4.add (f32x4.add (local.get $a) (local.get $b)) (f32x4.add (local.get $c) (local.get $d))))
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
      (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))

  ;; x (n, width) times a matrix (rows, width) of `bytes` a row: out (n, rows). Each row is unpacked once.
  (func (export "multiply")
    (param $eight i32) (param $weights i32) (param $bytes i32) (param $rows i32) (param $width i32)
    (param $x i32) (param $n i32) (param $out i32)
    (local $row i32) (local $i i32)
    (loop $every_row
      (if (local.get $eight)
        (then (call $unpack_q8_0 (local.get $weights) (local.get $width)))
        (else (call $unpack_q4_1 (local.get $weights) (local.get $width))))
      (local.set $i (i32.const 0))
      (loop $every_vector
        (f32.store
          (i32.add (local.get $out)
            (i32.shl (i32.add (i32.mul (local.get $i) (local.get $rows)) (local.get $row)) (i32.const 2)))
          (call $dot
            (i32.add (local.get $x) (i32.shl (i32.mul (local.get $i) (local.get $width)) (i32.const 2)))
            (local.get $width)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $every_vector (i32.lt_u (local.get $i) (local.get $n))))
      (local.set $weights (i32.add (local.get $weights) (local.get $bytes)))
      (local.set $row (i32.add (local.get $row) (i32.const 1)))
      (br_if $every_row (i32.lt_u (local.get $row) (local.get $rows))))))
