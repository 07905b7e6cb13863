import { readDocument, type Node, type Reading } from './document.ts'
import { maxSourceBytes, notUtf8, preScan, tooLarge } from './pre-scan.ts'
import { Problems } from './problem.ts'
import { decode, SourceText } from './source-text.ts'

/** A YAML file of the project, a playbook or a test of one, read as far as all of them are read alike. */
export interface OpenSource {
  /** As it came. */
  readonly text: string
  /** Without byte order mark. */
  readonly source: SourceText
  readonly problems: Problems
  /** Undefined when the file cannot be read at all, which has been reported. */
  readonly root: Node | undefined
}

/**
 * Reads a file into nodes with their places. Never throws, whatever the source.
 */
export function openSource(
  source: string | Uint8Array,
  file: string | undefined,
  reading: Reading = 'strict',
): OpenSource {
  // A byte order mark takes three bytes. What is too large is not even decoded.
  const isTooLarge = source.length > maxSourceBytes + 3
  const { text, invalidAt } = isTooLarge ? { text: '' } : decode(source)
  const body = new SourceText(text.startsWith('\uFEFF') ? text.slice(1) : text)
  const problems = new Problems(body, file)
  const found = isTooLarge
    ? tooLarge(source.length)
    : invalidAt === undefined
      ? preScan(body.text)
      : notUtf8(invalidAt)
  if (found) problems.add(found.code, found.message, found, found.hint)
  return {
    text,
    source: body,
    problems,
    root: found ? undefined : readDocument(body.text, problems, reading),
  }
}
