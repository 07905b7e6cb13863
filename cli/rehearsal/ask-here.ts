import { createInterface } from 'node:readline/promises'
import { type Checkpoint, type Question, labelOf } from '../../core/domain/checkpoint.ts'
import type { AnswerChoice } from '../../core/playbook-test/run/checkpoint-answers.ts'
import { TocsinError, type JsonSchema } from '../../core/plugin/index.ts'
import { nearest } from '../../core/schema/index.ts'
import { paint } from '../output/paint.ts'
import { printable, printableJson, printableLines } from '../output/printable.ts'
import { typedChoice } from './options.ts'

/** Whether a person is at the terminal. */
export const canAskHere = (): boolean => process.stdin.isTTY && process.stdout.isTTY

export interface Terminal {
  /** Asks until the answer is valid. Undefined when `signal` aborts or the input ends. */
  ask(checkpoint: Checkpoint, signal: AbortSignal): Promise<AnswerChoice | undefined>
  close(): void
}

export function openTerminal(): Terminal {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // The terminal is in raw mode; Ctrl-C is handled elsewhere.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const lines = terminal[Symbol.asyncIterator]()
  // Text typed ahead answers the next question.
  let next: Promise<IteratorResult<string, unknown>> | undefined
  const lineBefore = async (signal: AbortSignal): Promise<string | undefined> => {
    next ??= lines.next()
    const line = await Promise.race([next, aborted(signal)])
    if (line === undefined) return undefined
    next = undefined
    return line.done === true ? undefined : line.value.trim()
  }
  return {
    async ask({ path, question }, signal) {
      process.stdout.write(`  ${paint.warn('asks')} ${printable(path)}\n${questionLines(question)}\n`)
      for (;;) {
        terminal.setPrompt('    answer: ')
        terminal.prompt()
        const typed = await lineBefore(signal)
        const choice = typed === undefined ? undefined : understood(path, question, typed)
        if (typed === undefined) process.stdout.write('\n')
        if (typed === undefined || choice !== undefined) return choice
      }
    },
    close: () => terminal.close(),
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

function questionLines(question: Question): string {
  const { input, answers, form } = question
  const message = (input as { readonly message?: unknown } | null)?.message
  const asked = typeof message === 'string' ? message : printableJson(input)
  const takes = answers
    ? `answers: ${[...answers.map((answer) => withLabel(question, answer)), 'timeout'].join(', ')}`
    : `fill in as JSON, or write timeout: ${Object.entries(form?.properties ?? {})
        .map(([name, schema]) => `${name} (${kindOf(schema)})`)
        .join(', ')}`
  const lines = [...printableLines(asked).split('\n'), paint.dim(printableLines(takes))]
  return lines.map((line) => `    ${line}`).join('\n')
}

function withLabel(question: Question, answer: string): string {
  const label = labelOf(question, answer)
  return label === answer ? answer : `${answer} ("${label}")`
}

const kindOf = ({ enum: values, type }: JsonSchema): string =>
  values ? values.map(String).join(' | ') : String(type ?? 'anything')

function understood(path: string, { answers, form }: Question, typed: string): AnswerChoice | undefined {
  if (typed === '') return undefined
  try {
    return typedChoice(path, { choices: answers === null ? { form: form ?? {} } : { answers } }, typed)
  } catch (error) {
    if (!(error instanceof TocsinError)) throw error
    const near = answers === null ? undefined : nearest(typed, answers)
    const hint = near === undefined ? '' : `: did you mean ${near}?`
    process.stdout.write(`    ${paint.bad('no')} ${printableLines(error.message + hint)}\n`)
    return undefined
  }
}
