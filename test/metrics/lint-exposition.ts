import { readExposition, type Family } from './read-exposition.ts'

/**
 * The checks of `promtool check metrics` (promlint of prometheus/client_golang: help, units, counters, names
 * and labels of histograms, types in names, colons, camel case, abbreviations, duplicates), and that buckets
 * add up.
 *
 * @throws Error for invalid text
 */
export function lintExposition(text: string): readonly string[] {
  const families = readExposition(text)
  const names = families.map(({ name }) => name)
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  return [
    ...twice.map((name) => `${name}: described twice`),
    ...families.flatMap((family) => problemsOf(family).map((problem) => `${family.name}: ${problem}`)),
  ]
}

const baseUnits = 'amperes|bytes|celsius|grams|joules|kelvin|meters|metres|seconds|volts'
const otherUnits =
  'minutes|hours|days|weeks|kelvins|fahrenheit|rankine|inches|yards|miles|bits|calories|pounds|ounces'
const prefixes =
  'pico|nano|micro|milli|centi|deci|deca|hecto|kilo|kibi|mega|mibi|giga|gibi|tera|tebi|peta|pebi'
const noBaseUnit = new RegExp(`^((${prefixes})(${baseUnits}|${otherUnits})|${otherUnits})$`)
const abbreviation = /^(s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d)$/
const typeName = /^(counter|gauge|histogram|summary|gaugehistogram)$/

function problemsOf({ name, help, type, samples }: Family): readonly string[] {
  const words = name.toLowerCase().split('_')
  const [, ...later] = words
  const labels = new Set(samples.flatMap((sample) => [...sample.labels.keys()]))
  const isHistogram = type === 'histogram'
  const found: readonly (readonly [boolean, string])[] = [
    [help === undefined, 'no help'],
    [type === undefined || type === 'untyped', 'no type'],
    [name.split('_').some((word) => noBaseUnit.test(word)), 'no base unit'],
    [type === 'counter' && !name.endsWith('_total'), 'a counter without _total'],
    [type !== 'counter' && name.endsWith('_total'), '_total, and no counter'],
    [!isHistogram && /_(bucket|count|sum)$/.test(name), 'an ending of histograms'],
    [!isHistogram && labels.has('le'), 'a label of histograms'],
    [type !== 'summary' && labels.has('quantile'), 'a label of summaries'],
    [later.some((word) => typeName.test(word)), 'a type in the name'],
    [name.includes(':'), 'a colon, which is for rules'],
    [[name, ...labels].some((text) => /[a-z][A-Z]/.test(text)), 'camel case'],
    [later.some((word) => abbreviation.test(word)), 'an abbreviated unit'],
    [repeats(samples), 'the same sample twice'],
    [isHistogram && !addsUp(name, samples), 'buckets that do not add up'],
  ]
  return found.flatMap(([isSo, problem]) => (isSo ? [problem] : []))
}

const keyOf = ({ name, labels }: Family['samples'][number], without = ''): string =>
  JSON.stringify([
    name,
    [...labels].filter(([label]) => label !== without).toSorted(([a], [b]) => a.localeCompare(b)),
  ])

function repeats(samples: Family['samples']): boolean {
  return new Set(samples.map((sample) => keyOf(sample))).size !== samples.length
}

/** In each series, the counts of buckets never fall, and the last bucket has the total count. */
function addsUp(name: string, samples: Family['samples']): boolean {
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`)
  const series = Map.groupBy(buckets, (sample) => keyOf(sample, 'le'))
  const counts = samples.filter((sample) => sample.name === `${name}_count`)
  const sums = samples.filter((sample) => sample.name === `${name}_sum`)
  if (series.size !== counts.length || series.size !== sums.length) return false
  return counts.every((count) => {
    const own = series.get(keyOf({ ...count, name: `${name}_bucket` })) ?? []
    const bounds = own.map(({ labels }) => Number(labels.get('le')?.replace('+Inf', 'Infinity')))
    const rises = (values: readonly number[]) =>
      values.every((value, at) => at === 0 || value >= values[at - 1]!)
    return (
      rises(bounds) &&
      rises(own.map(({ value }) => value)) &&
      bounds.at(-1) === Infinity &&
      own.at(-1)?.value === count.value
    )
  })
}
