import { InvalidArgumentError } from 'commander'
import { parseJson } from '../../core/json.ts'

export type Values = Readonly<Record<string, unknown>>

/** Collects `--option name=value` given several times; a value that is JSON is taken as such, anything else as text. */
export function collectJson(argument: string, before: Values = {}): Values {
  const { name, value } = split(argument)
  return { ...before, [name]: asJson(value) }
}

function split(argument: string): { readonly name: string; readonly value: string } {
  const at = argument.indexOf('=')
  const name = argument.slice(0, Math.max(at, 0))
  if (/^[A-Za-z_]\w*$/.test(name) && name !== '__proto__') return { name, value: argument.slice(at + 1) }
  throw new InvalidArgumentError('It must be written as name=value.')
}

function asJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
