/**
 * One metric family in the text format of Prometheus, version 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */
export interface Family {
  readonly name: string
  readonly help: string | undefined
  type: string | undefined
  readonly samples: Sample[]
}

export interface Sample {
  /** In a histogram with `_bucket`, `_sum` or `_count`. */
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
}

const metricName = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const label = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"`
const helpLine = new RegExp(`^# HELP (${metricName}) (\\S.*)$`)
const typeLine = new RegExp(`^# TYPE (${metricName}) (counter|gauge|histogram|summary|untyped)$`)
const sampleLine = new RegExp(`^(${metricName})(?:\\{(${label}(?:,${label})*)\\})? (\\S+)$`)
const value = /^([+-]?Inf|NaN|[+-]?\d+(\.\d+)?([eE][+-]?\d+)?)$/

/**
 * Parses strictly: the lines of a family are adjacent, with HELP before TYPE before samples.
 *
 * @throws Error with the unexpected line
 */
export function readExposition(text: string): readonly Family[] {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families: Family[] = []
  for (const line of text.slice(0, -1).split('\n')) readLine(line, families)
  return families
}

function readLine(line: string, families: Family[]): void {
  const current = families.at(-1)
  const [, described, help] = helpLine.exec(line) ?? []
  if (described !== undefined) {
    families.push({ name: described, help, type: undefined, samples: [] })
    return
  }
  const [, typed, type] = typeLine.exec(line) ?? []
  if (typed !== undefined) {
    if (current?.name === typed && current.type === undefined && current.samples.length === 0)
      current.type = type
    else families.push({ name: typed, help: undefined, type, samples: [] })
    return
  }
  const [, name, labels = ''] = sampleLine.exec(line) ?? []
  const figure = line.slice(line.lastIndexOf(' ') + 1)
  if (name === undefined || !value.test(figure)) throw new Error(`this is no sample: ${line}`)
  const suffix = current?.type === 'histogram' ? '(_bucket|_sum|_count)' : ''
  if (current === undefined || !new RegExp(`^${current.name}${suffix}$`).test(name))
    throw new Error(`this belongs to no family: ${line}`)
  current.samples.push({
    name,
    labels: labelsOf(labels, line),
    value: Number(figure.replace('Inf', 'Infinity')),
  })
}

function labelsOf(text: string, line: string): ReadonlyMap<string, string> {
  const found = [...text.matchAll(new RegExp(label, 'g'))].map(
    ([, name = '', of = '']) => [name, of] as const,
  )
  const labels = new Map(found)
  if (labels.size !== found.length) throw new Error(`a label stands twice: ${line}`)
  return labels
}
