import { globalFunctions } from '../../expression/index.ts'
import { docsOf, type FunctionDoc } from '../function-docs/index.ts'

export interface Signature {
  readonly docs: readonly FunctionDoc[]
  /** Index of the current argument, from 0. */
  readonly argument: number
}

/** How far back to search for the start of an expression. */
const maxBack = 8_192

/** The function call around an offset inside the parentheses of an expression. The text may be incomplete. */
export function signatureAt(text: string, offset: number): Signature | undefined {
  const before = expressionBefore(text, offset)
  const call = before === undefined ? undefined : openCall(before)
  if (call === undefined) return undefined
  const { name, argument } = call
  const isGlobal = globalFunctions().includes(name) || ['has', 'cel.bind'].includes(name)
  const plain = name.slice(name.lastIndexOf('.') + 1)
  const isMethod = !isGlobal && (call.isMethod || name.includes('.'))
  const docs = docsOf(isMethod ? plain : name, isMethod)
  return docs.length === 0 ? undefined : { docs, argument }
}

/** The part of the expression before the offset. */
function expressionBefore(text: string, offset: number): string | undefined {
  const near = text.slice(Math.max(0, offset - maxBack), offset)
  const open = near.lastIndexOf('${{')
  if (open >= 0 && near[open - 1] !== '$' && !near.slice(open).includes('}}')) return near.slice(open + 3)
  const line = near.slice(near.lastIndexOf('\n') + 1)
  return /^[\s-]*(?:.*[{,]\s*)?(?:if|when|until|where)\s*:\s*["']?(.*)$/.exec(line)?.[1]
}

/** The innermost call whose parenthesis is open. */
function openCall(
  text: string,
): { readonly name: string; readonly isMethod: boolean; readonly argument: number } | undefined {
  const calls: { at: number; commas: number; closes: string }[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character === '"' || character === "'") {
      at = endOfString(text, at)
      continue
    }
    if (character === '(') calls.push({ at, commas: 0, closes: ')' })
    else if (character === '[' || character === '{')
      calls.push({ at, commas: 0, closes: character === '[' ? ']' : '}' })
    else if (character === calls.at(-1)?.closes) calls.pop()
    else if (character === ',' && calls.length > 0) calls.at(-1)!.commas++
  }
  const call = calls.findLast(({ closes }) => closes === ')')
  if (call === undefined) return undefined
  const [, point, name] = /(\.\s*)?((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)\s*$/.exec(text.slice(0, call.at)) ?? []
  return name === undefined ? undefined : { name, isMethod: point !== undefined, argument: call.commas }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[start]) return at
  }
  return text.length
}
