import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'

/** An instruction of the compiled pattern, see `Inst` of re2js. */
interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  matchRune(character: number): boolean
}

/** The compiled pattern of re2js, as far as it is used here. */
export interface Compiled {
  readonly prog: { readonly inst: readonly Instruction[]; readonly start: number }
  readonly numSubexp: number
  readonly namedGroups: Readonly<Record<string, number>>
  readonly prefix: string | null
  /** The empty-width conditions under which it starts. */
  readonly cond: number
}

/** Operations of re2js. */
const op = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  emptyWidth: 4,
  match: 6,
  nop: 7,
  rune: 8,
  lastRune: 11,
} as const
const [rune1, anyRune, anyButNewline] = [9, 10, 11]
const beginText = 4

/** Steps per unit of fuel. */
const stepsPerUnit = 12
/** Longer beginnings are searched by their first characters. */
const longestPrefix = 100

/** Positions of a match and its groups, two for each; -1 for a group that did not match. */
export type Captures = Int32Array

/** The threads at one position, in order of priority. */
class Threads {
  readonly #seen: Int32Array
  #mark = 1
  readonly pcs: number[] = []
  readonly captures: Captures[] = []

  constructor(size: number) {
    this.#seen = new Int32Array(size)
  }

  /** Whether the instruction is new here. */
  visit(pc: number): boolean {
    if (this.#seen[pc] === this.#mark) return false
    this.#seen[pc] = this.#mark
    return true
  }

  clear(): void {
    this.#mark++
    this.pcs.length = this.captures.length = 0
  }
}

/**
 * Finds a match with its groups, as a backtracking search would, but in linear time: all threads advance
 * together (Pike's algorithm). Each step is paid for.
 */
export class CaptureSearch {
  readonly #pattern: Compiled
  #now: Threads
  #next: Threads
  #first: Uint8Array | undefined
  #steps = 0

  constructor(pattern: Compiled) {
    this.#pattern = pattern
    this.#now = new Threads(pattern.prog.inst.length)
    this.#next = new Threads(pattern.prog.inst.length)
  }

  /** The leftmost match at or after `from`. */
  find(text: string, from: number, meter: Meter, span: Span): Captures | undefined {
    const { prog, numSubexp, cond } = this.#pattern
    const isAnchored = (cond & beginText) !== 0
    this.#now.clear()
    this.#next.clear()
    let found: Captures | undefined
    let at = from
    for (;;) {
      if (this.#now.pcs.length === 0) {
        if (found !== undefined || (isAnchored && at > 0)) return found
        at = this.#skip(text, at, meter, span)
        if (at < 0) return undefined
      }
      if (found === undefined && !(isAnchored && at > 0)) {
        const captures = new Int32Array(2 * (numSubexp + 1)).fill(-1)
        captures[0] = at
        this.#add(this.#now, prog.start, at, captures, text)
      }
      const character = at < text.length ? text.codePointAt(at)! : -1
      const after = at + (character > 0xffff ? 2 : 1)
      found = this.#advance(character, at, after, text) ?? found
      this.#pay(meter, span)
      if (character < 0) return found
      ;[this.#now, this.#next] = [this.#next, this.#now]
      this.#next.clear()
      at = after
    }
  }

  /** Moves all threads over a character; the captures of a match end the threads of lower priority. */
  #advance(character: number, at: number, after: number, text: string): Captures | undefined {
    const { inst } = this.#pattern.prog
    const { pcs, captures } = this.#now
    for (const [index, pc] of pcs.entries()) {
      const instruction = inst[pc]!
      this.#steps++
      if (instruction.op === op.match) {
        const found = captures[index]!.slice()
        found[1] = at
        return found
      }
      if (character >= 0 && admits(instruction, character))
        this.#add(this.#next, instruction.out, after, captures[index]!, text)
    }
    return undefined
  }

  /** Adds a thread, and those that follow without a character. */
  #add(threads: Threads, start: number, at: number, begin: Captures, text: string): void {
    const { inst } = this.#pattern.prog
    const open: [pc: number, captures: Captures][] = [[start, begin]]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [pc, captures] = next
      if (pc === 0 || !threads.visit(pc)) continue
      this.#steps++
      const instruction = inst[pc]!
      switch (instruction.op) {
        case op.alt:
        case op.altMatch:
          open.push([instruction.arg, captures], [instruction.out, captures])
          break
        case op.nop:
          open.push([instruction.out, captures])
          break
        case op.emptyWidth:
          if ((instruction.arg & ~conditionsAt(text, at)) === 0) open.push([instruction.out, captures])
          break
        case op.capture: {
          const changed = captures.slice()
          this.#steps += changed.length >>> 3
          changed[instruction.arg] = at
          open.push([instruction.out, changed])
          break
        }
        default:
          if (instruction.op !== op.match && !isRune(instruction)) break
          threads.pcs.push(pc)
          threads.captures.push(captures)
      }
    }
  }

  /** The next position where a match may begin; negative if there is none. */
  #skip(text: string, from: number, meter: Meter, span: Span): number {
    const { prefix } = this.#pattern
    let at = from
    if (prefix !== null && prefix !== '') {
      at = text.indexOf(prefix.slice(0, longestPrefix), from)
      meter.search((at < 0 ? text.length : at) - from, span)
      return at
    }
    const first = (this.#first ??= this.#firstCharacters())
    while (at < text.length) {
      const code = text.charCodeAt(at)
      if (code > 255 || first[code] === 1) break
      at++
    }
    // The end of the text is also a position.
    meter.search(at - from, span)
    return at
  }

  /** For each character up to 255, whether a match may begin with it. */
  #firstCharacters(): Uint8Array {
    const { inst, start } = this.#pattern.prog
    const open = [start]
    const seen = new Set<number>()
    const first = new Uint8Array(256)
    for (let pc = open.pop(); pc !== undefined; pc = open.pop()) {
      if (pc === 0 || seen.has(pc)) continue
      seen.add(pc)
      const instruction = inst[pc]!
      if (instruction.op === op.match) return first.fill(1)
      if (instruction.op === op.alt || instruction.op === op.altMatch) open.push(instruction.arg)
      if (!isRune(instruction)) open.push(instruction.out)
      else for (let code = 0; code < 256; code++) if (admits(instruction, code)) first[code] = 1
    }
    return first
  }

  #pay(meter: Meter, span: Span): void {
    if (this.#steps < stepsPerUnit) return
    meter.spend(Math.floor(this.#steps / stepsPerUnit), span)
    this.#steps %= stepsPerUnit
  }
}

const isRune = (instruction: Instruction): boolean =>
  instruction.op >= op.rune && instruction.op <= op.lastRune

function admits(instruction: Instruction, character: number): boolean {
  if (instruction.op === anyRune) return true
  if (instruction.op === anyButNewline) return character !== 10
  return (instruction.op === op.rune || instruction.op === rune1) && instruction.matchRune(character)
}

const isWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95

/** The empty-width conditions that hold at a position, as bits of re2js. */
function conditionsAt(text: string, at: number): number {
  const before = at === 0 ? -1 : text.charCodeAt(at - 1)
  const behind = at === text.length ? -1 : text.charCodeAt(at)
  let found = 0
  if (before === 10 || before < 0) found |= 1
  if (behind === 10 || behind < 0) found |= 2
  if (before < 0) found |= beginText
  if (behind < 0) found |= 8
  return found | (isWord(before) === isWord(behind) ? 32 : 16)
}
