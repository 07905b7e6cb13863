/**
 * Figures in the text format that Prometheus reads (version 0.0.4,
 * https://prometheus.io/docs/instrumenting/exposition_formats/). Names follow its conventions: base units, `_total` for what only grows.
 */

/** Values of labels, by name. Each set of values is kept for ever: they have to come from a list that ends. */
export type Labels = Readonly<Record<string, string>>

export interface Counter {
  increase(labels?: Labels, by?: number): void
}

export interface Histogram {
  observe(value: number, labels?: Labels): void
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
  /** @param known values of labels that are there from the start, at 0: a rate has to see the first increase */
  counter(name: string, help: string, known?: readonly Labels[]): Counter
  /** `read` is asked whenever the figures are. */
  gauge(name: string, help: string, read: () => readonly Sample[]): void
  /** Like a gauge, of something that only grows. */
  total(name: string, help: string, read: () => readonly Sample[]): void
  /** @param bounds upper ends of its buckets, rising; the last one has none */
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
      const values = new Map<string, number>(known.map((labels) => [labelText(labels), 0]))
      families.push({
        name,
        help,
        type: 'counter',
        lines: () => [...values].map(([labels, value]) => `${name}${labels} ${value}`),
      })
      return {
        increase(labels, by = 1) {
          const key = labelText(labels)
          values.set(key, (values.get(key) ?? 0) + by)
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
      return {
        observe(value, labels) {
          const key = labelText(labels)
          let one = series.get(key)
          if (one === undefined) {
            one = emptySeries(labels)
            series.set(key, one)
          }
          const bucket = bounds.findIndex((bound) => value <= bound)
          if (bucket >= 0) one.counts[bucket]!++
          one.count++
          one.sum += value
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

interface Series {
  readonly labels: Labels | undefined
  /** Of each bucket alone. */
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
