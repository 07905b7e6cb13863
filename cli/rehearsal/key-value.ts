import { InvalidArgumentError } from 'commander'
import { parseJson } from '../../core/common/json.ts'
import type { Inputs } from '../../core/playbook/language/playbook.ts'

export type Texts = Readonly<Record<string, string>>

/** Collects `--option name=value` given several times. */
export function collectTexts(argument: string, before: Texts = {}): Texts {
  const at = argument.indexOf('=')
  const name = argument.slice(0, Math.max(at, 0))
  if (!/^[A-Za-z_]\w*$/.test(name) || name === '__proto__')
    throw new InvalidArgumentError('It must be written as name=value.')
  return { ...before, [name]: argument.slice(at + 1) }
}

/** Collects `--answer step=answer`; a step of a called playbook is named by its path: `contain/confirm`. */
export function collectAnswers(argument: string, before: Texts = {}): Texts {
  const at = argument.indexOf('=')
  const name = argument.slice(0, Math.max(at, 0))
  if (!/^[\w@]+(?:\/[\w@]+)*$/.test(name) || name === '__proto__')
    throw new InvalidArgumentError('It must be written as step=answer.')
  return { ...before, [name]: argument.slice(at + 1) }
}

/** Inputs as they are typed on a command line: JSON, and text as it is where the playbook takes text or it is no JSON. */
export function asInputs(texts: Texts, inputs: Inputs): Readonly<Record<string, unknown>> {
  const values = Object.entries(texts).map(([name, text]) => {
    return [name, inputs.get(name)?.schema.type === 'string' ? text : asJson(text)] as const
  })
  return Object.fromEntries(values)
}

function asJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
