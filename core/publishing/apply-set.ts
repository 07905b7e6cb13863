import { createHash } from 'node:crypto'
import { runInSlices, type Sliced } from '../common/sliced.ts'
import type { Actor } from '../domain/audit.ts'
import { ConflictError, ValidationError } from '../errors/errors.ts'
import { findRivals } from '../playbook/check/find-rivals.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Problem } from '../playbook/language/problem.ts'
import { parseTogetherInSlices } from '../playbook/read/parse-together.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { Publication, PublishedBase } from '../ports/playbook-store.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { SeenChange } from './check-changes.ts'
import type { PlaybookFolder } from './playbook-folder.ts'
import { isOwn, isSeenWith, type PublishScope } from './playbook-owner.ts'

/** Playbooks that are published together. */
export interface PlaybookSet {
  readonly sources: readonly SetSource[]
  /** Deletes the other playbooks of `owned`. */
  readonly prune: boolean
  readonly publication: Publication
}

export interface SetSource {
  /** Name of the file, for problems. */
  readonly file: string
  readonly source: string
}

/** What applying a set does to a playbook. */
export interface SetOutcome {
  readonly name: string
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'deleted'
  /** The given file; null: the playbook is deleted. */
  readonly file: string | null
  /** Warnings. */
  readonly problems: readonly Problem[]
}

export interface PlannedSet {
  readonly changes: readonly SeenChange[]
  readonly outcomes: readonly SetOutcome[]
}

/** The circumstances in which a set is applied. */
export interface SetOptions {
  readonly by: Actor
  readonly scope: PublishScope
  /** The sets that were seen, by `setHash`; undefined: any. */
  readonly seen: readonly string[] | undefined
  /** Checks everything, and writes nothing. */
  readonly dryRun: boolean
}

export interface AppliedSet {
  readonly outcomes: readonly SetOutcome[]
  /** Of the playbooks that the caller may change, after the change. */
  readonly hash: string
}

interface PlanOptions {
  /** The published playbooks. */
  readonly live: readonly Playbook[]
  /** Those that the caller may change. */
  readonly owned: readonly Playbook[]
  readonly catalogue: Catalogue
  readonly known: KnownNames | undefined
}

/** Identifies a set of playbooks: hex, the same for the same names and contents. */
export function setHash(playbooks: readonly Pick<Playbook, 'name' | 'hash'>[]): string {
  const lines = playbooks.map(({ name, hash }) => `${name} ${hash}\n`).toSorted()
  return createHash('sha256').update(lines.join('')).digest('hex')
}

/**
 * The changes that make the published playbooks equal to a set. They are checked together with the playbooks that stay.
 *
 * @throws ValidationError `playbook_invalid` with each error of each source
 */
function* planSet(
  { sources, prune, publication }: PlaybookSet,
  { live, owned, catalogue, known }: PlanOptions,
): Sliced<PlannedSet> {
  const leaving = new Set(prune ? owned.map(({ name }) => name) : [])
  const seen = live.filter((playbook) => isSeenWith(known, playbook))
  const staying = new Map(
    seen.filter(({ name }) => !leaving.has(name)).map(({ name, source }) => [name, source]),
  )
  const parsed = yield* parseTogetherInSlices(sources, { catalogue, known, beside: () => staying })
  const valid = parsed.flatMap(({ file, playbook, problems }) =>
    playbook === undefined ? [] : [{ file, playbook, problems }],
  )
  const twice = findRivals(valid).filter(({ severity }) => severity === 'error')
  const errors = parsed.flatMap(({ file, problems }, at) =>
    [
      ...problems.filter(({ severity }) => severity === 'error'),
      ...twice.filter((each) => each.file === file),
    ].map(({ line, column, code, message, hint }) => ({
      pointer: `/playbooks/${at}/source`,
      message: `${file}:${line}:${column} ${code} ${message}${hint === undefined ? '' : ` (${hint})`}`,
    })),
  )
  if (errors.length > 0)
    throw new ValidationError(
      'playbook_invalid',
      `the playbooks have ${errors.length} error${errors.length === 1 ? '' : 's'}; none was published`,
      errors,
      { hint: 'tocsin validate shows the errors with their lines' },
    )
  // What the caller may not change is refused when the changes are checked.
  const published = new Map(owned.map(({ name, hash }) => [name, hash]))
  const given = new Set(valid.map(({ playbook }) => playbook.name))
  const kept = valid.map(({ file, playbook: { name, hash }, problems }) => {
    const before = published.get(name)
    const outcome = before === undefined ? 'created' : before === hash ? 'unchanged' : 'changed'
    return { name, outcome, file, problems } as const
  })
  const deleted = [...leaving]
    .filter((name) => !given.has(name))
    .map((name) => ({ name, outcome: 'deleted', file: null, problems: [] }) as const)
  const sourceOf = new Map(valid.map(({ playbook: { name, source } }) => [name, source]))
  const outcomes = [...kept, ...deleted].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const changes = outcomes
    .filter(({ outcome }) => outcome !== 'unchanged')
    .map(({ name }) => ({
      name,
      source: sourceOf.get(name) ?? null,
      seen: published.get(name) ?? null,
      publication,
    }))
  return { changes, outcomes }
}

interface SetParts {
  readonly folder: PlaybookFolder
  readonly catalogue: Catalogue
  readonly authored: ReadonlyMap<string, Playbook>
  readonly base: PublishedBase | undefined
}

/** See `PlaybookLibrary`. Only in turn. */
export async function applySet(
  set: PlaybookSet,
  { by, scope, seen, dryRun }: SetOptions,
  { folder, catalogue, authored, base }: SetParts,
): Promise<AppliedSet> {
  const ownedNow = () => [...authored.values()].filter((playbook) => isOwn(scope, playbook))
  const owned = ownedNow()
  if (seen !== undefined && !seen.includes(setHash(owned)))
    throw new ConflictError('set_changed', 'other playbooks are published than those that you read', {
      hint: 'read the playbooks again, and apply your change to them',
    })
  const known = await folder.known(scope)
  const plan = planSet(set, { live: [...authored.values()], owned, catalogue, known })
  const { changes, outcomes } = await runInSlices(plan)
  if (dryRun) await folder.check(changes, scope)
  else if (changes.length > 0) await folder.apply(changes, by, scope, base)
  return { outcomes, hash: setHash(ownedNow()) }
}
