import { Command, InvalidArgumentError } from 'commander'
import { parseJson } from '../../core/common/json.ts'
import type { Inputs } from '../../core/playbook/language/playbook.ts'
import { choiceOf, type Asked } from '../../core/dry-run/choices.ts'
import type { AnswerChoice } from '../../core/playbook-test/run/checkpoint-answers.ts'

type Texts = Readonly<Record<string, string>>

export interface PlaybookRunOptions {
  readonly alert?: string
  readonly trigger?: string
  readonly input?: Texts
  readonly answer?: Texts
  readonly organization?: string
}

/** A command with the options that `run` and `dry-run` share. `world` is the option for fixtures and mocks. */
export function rehearsalCommand(
  name: string,
  world: readonly [flags: string, description: string],
): Command {
  return new Command(name)
    .argument('<playbook>', 'a playbook file')
    .option(
      '--alert <file.json>',
      'file with the alert: the body of POST /alerts or its content; - for standard input',
    )
    .option(
      '--trigger <file.json>',
      'file with the event, for a playbook that starts for events: the fields that differ from the example; - for standard input',
    )
    .option('--input <name=value>', 'an input of the playbook; can be repeated', collectTexts)
    .option(...world)
    .option('--answer <step=answer>', 'answer to a checkpoint, or timeout; can be repeated', collectAnswers)
    .option('--organization <code>', 'organization whose connections are used; default: the only one')
}

/** Collects a repeated `--option name=value`. */
function collectTexts(argument: string, before: Texts = {}): Texts {
  const at = argument.indexOf('=')
  const name = argument.slice(0, Math.max(at, 0))
  if (!/^[A-Za-z_]\w*$/.test(name) || name === '__proto__')
    throw new InvalidArgumentError('It must be written as name=value.')
  return { ...before, [name]: argument.slice(at + 1) }
}

/** Collects `--answer step=answer`; a step of a called playbook is a path: `contain/confirm`. */
function collectAnswers(argument: string, before: Texts = {}): Texts {
  const at = argument.indexOf('=')
  const name = argument.slice(0, Math.max(at, 0))
  if (!/^[\w@]+(?:\/[\w@]+)*$/.test(name) || name === '__proto__')
    throw new InvalidArgumentError('It must be written as step=answer.')
  return { ...before, [name]: argument.slice(at + 1) }
}

/** Inputs from a command line: JSON, or plain text if the playbook takes text or it is not JSON. */
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

/**
 * A typed answer: a word, or JSON for a form. Several people: the answers separated by commas, or a JSON list.
 *
 * @throws errors of `choiceOf`, TocsinError `json_invalid`
 */
export function typedChoice(name: string, asked: Asked, text: string): AnswerChoice {
  const isJson = 'form' in asked.choices && text !== 'timeout'
  if (isJson) return choiceOf(name, asked, parseJson(text))
  const isWord = 'answers' in asked.choices && asked.choices.answers.includes(text)
  const isList = asked.people !== undefined && !isWord && text.includes(',')
  return choiceOf(name, asked, isList ? text.split(',').map((each) => each.trim()) : text)
}
