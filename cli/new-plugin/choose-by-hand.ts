import { chooseOperations, searchOperations, type ApiOperation } from '../../core/openapi/index.ts'
import { printable } from '../output/printable.ts'
import { table } from '../output/table.ts'
import { openPrompt } from '../sandbox/open-prompt.ts'

/** Choosing operations line by line. */
export interface OperationChoice {
  readonly chosen: readonly ApiOperation[]
  readonly isDone: boolean
  /** What to show. */
  readonly shown: string
}

const maxShown = 20
const help =
  'Type words to search, and numbers to choose: 3, 12-14. A minus removes: -3. `list` shows your choice, `done` writes the plugin.'

/** The state before the first line. */
export const beginChoice = (operations: readonly ApiOperation[]): OperationChoice => ({
  chosen: [],
  isDone: false,
  shown: `${operations.length} operations. ${help}`,
})

/** The state after a line: a search, a choice or a command. */
export function choose(
  operations: readonly ApiOperation[],
  { chosen }: OperationChoice,
  typed: string,
): OperationChoice {
  const line = typed.trim()
  const stay = (shown: string): OperationChoice => ({ chosen, isDone: false, shown })
  if (line === '' || line === 'help') return stay(help)
  if (line === 'list') return stay(chosen.length === 0 ? 'nothing is chosen yet' : operationTable(chosen))
  if (line === 'done')
    return chosen.length === 0 ? stay('choose an operation first') : { chosen, isDone: true, shown: '' }
  const isRemoval = /^-\s*\d/.test(line)
  const named = chooseOperations(operations, isRemoval ? line.replace(/^-\s*/, '') : line)
  if (named.unknown.length === 0) {
    const without = chosen.filter((operation) => !named.operations.includes(operation))
    const next = isRemoval
      ? without
      : [...without, ...named.operations].toSorted((a, b) => a.number - b.number)
    return {
      chosen: next,
      isDone: false,
      shown: `${operationTable(named.operations)}\n${next.length} chosen`,
    }
  }
  const found = searchOperations(operations, line)
  if (found.length === 0) return stay(`nothing fits '${line.slice(0, 100)}'; use other words`)
  const more = found.length > maxShown ? `\n${found.length - maxShown} more; add a word` : ''
  return stay(operationTable(found.slice(0, maxShown)) + more)
}

/** Lets a person at the terminal choose; empty if they end the input. */
export async function chooseByHand(operations: readonly ApiOperation[]): Promise<readonly ApiOperation[]> {
  let choice = beginChoice(operations)
  const prompt = openPrompt()
  prompt.say(choice.shown)
  await prompt.each((line) => {
    choice = choose(operations, choice, line)
    if (choice.shown !== '') prompt.say(choice.shown)
    return Promise.resolve(choice.isDone)
  })
  prompt.close()
  return choice.isDone ? choice.chosen : []
}

/** The operations as a table. */
export const operationTable = (operations: readonly ApiOperation[]): string =>
  table(
    ['number', 'id', 'method', 'path', 'summary'],
    operations.map(({ number, id, method, path, summary, isDeprecated }) => [
      String(number),
      printable(id, 80),
      method.toUpperCase(),
      printable(path, 120),
      `${isDeprecated ? '(deprecated) ' : ''}${printable(summary, 80)}`,
    ]),
  )
