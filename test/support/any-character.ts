import * as fc from 'fast-check'

/**
 * Unit of `fc.string`: any code point but surrogates, like fast-check's own `binary`, which takes a second to prepare and keeps a map
 * of a million entries alive.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))
