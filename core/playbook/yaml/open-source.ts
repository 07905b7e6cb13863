import { warnOfCutValues } from '../check/cut-values.ts'
import { readDocument, type Node, type Reading } from './document.ts'
import {
  notUtf8,
  playbookLimits,
  preScan,
  tooLarge,
  type ScanFinding,
  type SourceLimits,
} from './pre-scan.ts'
import { Problems } from '../language/problem.ts'
import { withRepairs, type Repair } from './repairs.ts'
import { decode, SourceText } from '../language/source-text.ts'
import { runAtOnce, type Sliced } from '../../common/sliced.ts'

/** An opened YAML file: a playbook or a file of tests. */
export interface OpenSource {
  /** With its byte order mark, if any. */
  readonly text: string
  /** Without byte order mark. */
  readonly source: SourceText
  readonly problems: Problems
  /** Undefined if the file cannot be read, which has been reported. */
  readonly root: Node | undefined
}

/**
 * Reads a file into nodes with their places. Never throws.
 */
export const openSource = (
  source: string | Uint8Array,
  file: string | undefined,
  reading?: Reading,
  limits?: SourceLimits,
): OpenSource => runAtOnce(openSourceInSlices(source, file, reading, limits))

/** {@link openSource} in time slices. */
export function* openSourceInSlices(
  source: string | Uint8Array,
  file: string | undefined,
  reading: Reading = 'strict',
  limits: SourceLimits = playbookLimits,
): Sliced<OpenSource> {
  // A byte order mark takes three bytes. Files beyond the limit are not decoded.
  const isTooLarge = source.length > limits.bytes + 3
  const { text, invalidAt } = isTooLarge ? { text: '' } : decode(source)
  const body = new SourceText(text.startsWith('\uFEFF') ? text.slice(1) : text)
  const problems = new Problems(body, file)
  const { found, repairs } = isTooLarge
    ? { found: tooLarge(source.length, limits), repairs: [] }
    : invalidAt === undefined
      ? yield* scan(body.text, problems, limits)
      : { found: notUtf8(invalidAt), repairs: [] }
  if (found) problems.add(found.code, found.message, found, found.hint)
  const root = found ? undefined : yield* readDocument(body.text, problems, reading, limits, repairs)
  if (root && /[ \t]#/.test(body.text)) warnOfCutValues(problems, body.text, root)
  return { text, source: body, problems, root }
}

/** Each repair takes a pass over the text. */
const maxRepairs = (text: string): number => (text.length > 64 * 1024 ? 1 : 10)

/** The first finding that cannot be repaired, and the repairs before it, which have been reported. */
function* scan(
  text: string,
  problems: Problems,
  limits: SourceLimits,
): Sliced<{ readonly found: ScanFinding | undefined; readonly repairs: readonly Repair[] }> {
  const repairs: Repair[] = []
  for (;;) {
    const found = yield* preScan(repairs.length === 0 ? text : withRepairs(text, repairs), limits)
    if (found?.repair === undefined || repairs.length >= maxRepairs(text)) return { found, repairs }
    problems.add(found.code, found.message, found, found.hint)
    repairs.push(found.repair)
  }
}
