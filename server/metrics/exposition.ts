/**
 * Metrics in the text format of Prometheus (version 0.0.4,
 * https://prometheus.io/docs/instrumenting/exposition_formats/). Names follow its conventions: base units,
 * `_total` for counters.
 */

/** Label values by name. Each set is kept forever, so values must come from a finite list. */
export type Labels = Readonly<Record<string, string>>

export interface Counter {
  increase(labels?: Labels, by?: number): void
  /** One set of labels, for a caller that counts often. */
  of(labels: Labels): { increase(): void }
}

export interface Histogram {
  observe(value: number, labels?: Labels): void
  /** One set of labels, for a caller that measures often. */
  of(labels: Labels): { observe(value: number): void }
}

export interface Sample {
  readonly labels?: Labels
  readonly value: number
}

interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly lines: () => readonly string[]
}

export interface Exposition {
  /** @param known label values to start at 0, so that a rate sees their first increase */
  counter(name: string, help: string, known?: readonly Labels[]): Counter
  /** Calls `read` at every scrape. */
  gauge(name: string, help: string, read: () => readonly Sample[]): void
  /** Like a gauge, for a value that only grows. */
  total(name: string, help: string, read: () => readonly Sample[]): void
  /** @param bounds upper bounds of the buckets, rising; the last bucket has none */
  histogram(name: string, help: string, bounds: readonly number[], known?: readonly Labels[]): Histogram
  text(): string
}

export function createExposition(): Exposition {
  const families: Family[] = []
  const readFamily = (type: Family['type'], name: string, help: string, read: () => readonly Sample[]) =>
    void families.push({
      name,
      help,
      type,
      lines: () => read().map(({ labels, value }) => line(name, labels, value)),
    })
  return {
    counter(name, help, known = []) {
      const values = new Map<string, { value: number }>(
        known.map((labels) => [labelText(labels), { value: 0 }]),
      )
      const valueOf = (labels?: Labels) => getOrAdd(values, labelText(labels), () => ({ value: 0 }))
      families.push({
        name,
        help,
        type: 'counter',
        lines: () => [...values].map(([labels, { value }]) => `${name}${labels} ${value}`),
      })
      return {
        increase(labels, by = 1) {
          valueOf(labels).value += by
        },
        of(labels) {
          const counted = valueOf(labels)
          return { increase: () => void counted.value++ }
        },
      }
    },
    gauge: (name, help, read) => readFamily('gauge', name, help, read),
    total: (name, help, read) => readFamily('counter', name, help, read),
    histogram(name, help, bounds, known = []) {
      const emptySeries = (labels: Labels | undefined): Series => ({
        labels,
        counts: bounds.map(() => 0),
        count: 0,
        sum: 0,
      })
      const series = new Map<string, Series>(known.map((labels) => [labelText(labels), emptySeries(labels)]))
      families.push({
        name,
        help,
        type: 'histogram',
        lines: () => [...series.values()].flatMap((one) => histogramLines(name, bounds, one)),
      })
      const seriesOf = (labels?: Labels) => getOrAdd(series, labelText(labels), () => emptySeries(labels))
      const add = (one: Series, value: number): void => {
        const bucket = bounds.findIndex((bound) => value <= bound)
        if (bucket >= 0) one.counts[bucket]!++
        one.count++
        one.sum += value
      }
      return {
        observe: (value, labels) => add(seriesOf(labels), value),
        of(labels) {
          const one = seriesOf(labels)
          return { observe: (value) => add(one, value) }
        },
      }
    },
    text: () =>
      families
        .flatMap(({ name, help, type, lines }) => [
          `# HELP ${name} ${help}`,
          `# TYPE ${name} ${type}`,
          ...lines(),
        ])
        .join('\n')
        .concat('\n'),
  }
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}

interface Series {
  readonly labels: Labels | undefined
  /** Counts of each bucket alone, not cumulative. */
  readonly counts: number[]
  count: number
  sum: number
}

function histogramLines(
  name: string,
  bounds: readonly number[],
  { labels, counts, count, sum }: Series,
): readonly string[] {
  let below = 0
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0
    return line(`${name}_bucket`, { ...labels, le: String(bound) }, below)
  })
  return [
    ...buckets,
    line(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
    line(`${name}_sum`, labels, sum),
    line(`${name}_count`, labels, count),
  ]
}

const line = (name: string, labels: Labels | undefined, value: number): string =>
  `${name}${labelText(labels)} ${value}`

function labelText(labels: Labels = {}): string {
  let text = ''
  for (const [name, value] of Object.entries(labels))
    text += `${text === '' ? '' : ','}${name}="${escaped(value)}"`
  return text === '' ? '' : `{${text}}`
}

const escaped = (value: string): string =>
  /[\\"\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value
