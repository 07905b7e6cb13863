import * as fc from 'fast-check'

/**
 * A `fc.string` unit: any code point except surrogates. Unlike fast-check's own `binary`, it needs no
 * preparation and no map of a million entries.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))
