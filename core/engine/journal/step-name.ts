/**
 * The names of steps for people. A step with an id is named by it, other steps by what they do:
 *
 * | step                     | name                                     |
 * |--------------------------|------------------------------------------|
 * | with an id               | `enrich`, `enrich, item 3`, `poll, round 2` |
 * | that uses a skill        | `lookup ip (virustotal.lookup_ip)`       |
 * | with a condition         | `if severity is high`                    |
 * | any other                | `3rd step: return`                       |
 * | a part of a step         | `question of decision`                   |
 */

/** What the engine journals inside the place of a step. */
const partNames: Readonly<Record<string, string | undefined>> = {
  begin: 'start',
  wait: 'wait',
  ask: 'question',
  people: 'people asked',
  person: 'question to person',
  remind: 'reminder',
  settle: 'end of the question',
  rate: 'rate limit',
  approval: 'approval',
  choice: 'connections',
  call: 'call',
  output: 'output',
  outputs: 'outputs',
  state: 'state',
  until: 'condition',
}

const kindNames: Readonly<Record<string, string | undefined>> = {
  steps: 'group of steps',
  set: 'set values',
  call: 'call of a playbook',
  checkpoint: 'question',
  parallel: 'parallel steps',
}

/** @param path of the entry in the journal @param kind of the entry: a skill or a kind of step */
export function stepName({ path, kind }: { readonly path: string; readonly kind: string }): string {
  if (path.startsWith('@playbooks/')) return `version of ${path.slice('@playbooks/'.length)}`
  const [, outer, part = '', place] = /^(?:(.*)\/)?@([a-z]+)(?:[[#](\d+)\]?)?$/.exec(path) ?? []
  const partName = partNames[part]
  if (partName !== undefined) {
    // A call has the kind of its skill, which its step lacks.
    const name = part === 'call' && kind.includes('.') ? skillWords(kind) : partName
    const numbered = place === undefined ? name : `${name} ${Number(place) + (part === 'rate' ? 0 : 1)}`
    return outer === undefined
      ? `${numbered} of the playbook`
      : `${numbered} of ${stepName({ path: outer, kind: '' })}`
  }
  const [, key = '', ends = ''] = /([^/[#]*)((?:\[\d+\]|#\d+)*)$/.exec(path) ?? []
  const ofItems = ends.replaceAll(/\[(\d+)\]|#(\d+)/g, (_, item?: string, round?: string) =>
    item === undefined ? `, round ${round}` : `, item ${Number(item) + 1}`,
  )
  return `${/^\d+$/.test(key) ? unnamed(Number(key), kind) : key}${ofItems}`
}

/** @param index among the siblings, from 0 */
function unnamed(index: number, kind: string): string {
  if (kind.includes('.')) return `${skillWords(kind)} (${kind})`
  const step = `${ordinal(index + 1)} step`
  return kind === '' ? step : `${step}: ${kindNames[kind] ?? kind}`
}

/** `virustotal.lookup_ip` is `lookup ip`. */
const skillWords = (skill: string): string => skill.slice(skill.indexOf('.') + 1).replaceAll(/[_.]/g, ' ')

function ordinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${number}${ending}`
}

const maxCondition = 60

const operators: readonly (readonly [sign: RegExp, words: string])[] = [
  [/\s*&&\s*/g, ' and '],
  [/\s*\|\|\s*/g, ' or '],
  [/\s*==\s*/g, ' is '],
  [/\s*!=\s*/g, ' is not '],
  [/!(?=[\w(])/g, 'not '],
]

/** A condition in words: `alert.data.severity == "high"` is `severity is high`. Texts in it stay as they are. */
export function conditionWords(source: string): string {
  const words = source
    .split(/("[^"]*"|'[^']*')/)
    .map((part, index) => (index % 2 === 1 ? inQuotes(part) : inWords(part)))
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = Array.from(words)
  return characters.length <= maxCondition ? words : `${characters.slice(0, maxCondition - 1).join('')}…`
}

/** Without the quotes if it reads as one word. */
const inQuotes = (text: string): string => (/^.[\w.-]+.$/.test(text) ? text.slice(1, -1) : text)

const inWords = (code: string): string =>
  operators.reduce(
    (text, [sign, words]) => text.replaceAll(sign, words),
    code.replaceAll(/\b(?:alert\.data|alert|inputs|steps)\.\??/g, '').replaceAll(/\.output\b/g, ''),
  )
