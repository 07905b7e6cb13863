import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkpointStates } from '../../core/domain/checkpoint.ts'
import { runStatuses, stepStates } from '../../core/domain/run.ts'
import { caseStatuses } from '../../core/plugin/index.ts'
import { readSources } from './house-rules.ts'

const root = join(import.meta.dirname, '../..')
const states = new Set<string>([
  ...runStatuses,
  ...stepStates,
  ...checkpointStates,
  ...caseStatuses,
  'accepted',
])

/**
 * Conflicts of rows, files and processes that only the adapter can see. All other conflicts are policy and
 * belong in core.
 */
const ownConflicts =
  /^(\w+_exists|data_dir_in_use|database_damaged|master_key_mismatch|database_too_new|file_system_unfit|not_a_tocsin_database|not_a_backup)$/

interface Rule {
  readonly says: string
  /** The offending texts of a source without comments. */
  readonly find: (code: string) => readonly string[]
  /** A source that breaks the rule. */
  readonly planted: string
}

const matches = (code: string, pattern: RegExp): readonly string[] =>
  Array.from(code.matchAll(pattern), ([text]) => text)

/** Whether the quoted part of a text names a state. */
const isState = (text: string): boolean => states.has(text.split("'")[1] ?? '')

/** SQL that writes, without its conditions. Reads may name a state, so that partial indexes are used. */
const writtenValues = (code: string): readonly string[] =>
  matches(code, /`[^`]*`/g)
    .filter((sql) => /^`\s*(INSERT|UPDATE)\b/.test(sql))
    .map((sql) => sql.replaceAll(/\b(WHERE|RETURNING)\b[^;`]*/g, ''))

/** See `server/sql/database/README.md`. An alias without quotes becomes lower case in PostgreSQL. */
const ofSqliteOnly =
  /\b(?:ifnull|iif|json_object|glob)\(|\bINSERT OR\b|\bON CONFLICT DO UPDATE\b|\bIS (?:NOT )?\?|\bLIMIT -1\b|\bGLOB\b|\bNOCASE\b|\bAS [a-z]+[A-Z]\w*/g

const rules: readonly Rule[] = [
  {
    says: 'SQL writes no state of its own',
    find: (code) =>
      writtenValues(code).flatMap((sql) => [
        ...matches(sql, /'\w+'/g).filter(isState),
        ...matches(sql, /\bstatus = \d+|\bCASE\b/g),
      ]),
    planted: "database.run(`UPDATE runs SET status = 'failed' WHERE id = ?`, id)",
  },
  {
    says: 'code neither compares nor chooses a state',
    find: (code) =>
      matches(code, /\b(?:status|state|outcome|verdict)\w*\s*(?:[!=]==|:)\s*'\w+'/g).filter(isState),
    planted: "if (run.status === 'queued') start(run)",
  },
  {
    says: 'tables of states and moves are used in core only',
    find: (code) =>
      matches(code, /\b(?:alertStatus|alertStatusNames|alertStatusMoves|mayMove|runStatusMoves)\b/g),
    planted: 'const next = alertStatusMoves[alert.status]',
  },
  {
    says: 'timeline entries come from core',
    find: (code) => matches(code, /insertEntry\((?:[^()]|\([^()]*\))*\{|\btext:\s*['`]/g),
    planted: "insertEntry(database, row, { at, by, kind: 'note', text, changes: null })",
  },
  {
    says: 'forbidden transitions are refused in core',
    find: (code) =>
      matches(code, /new (?:ConflictError|ForbiddenError)\(\s*'\w+'/g).filter(
        (text) => !ownConflicts.test(text.split("'")[1] ?? ''),
      ),
    planted: "throw new ConflictError('run_not_queued', 'the run has started')",
  },
  {
    says: 'windows and deadlines of policy are declared in core',
    find: (code) => matches(code, /\b\d+ \* 3_600_000\b|\b3_600_000\b|\b86_400_000\b/g),
    planted: 'const windowMs = 3 * 3_600_000',
  },
  {
    says: 'SQL uses nothing that only SQLite has',
    find: (code) => matches(code, ofSqliteOnly),
    planted: 'SELECT coalesce(a, 0) AS "oneThing", b AS otherThing FROM t',
  },
]

const withoutComments = (code: string): string => code.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

describe('store policy', () => {
  const sources = readSources(root)
    .files.filter(({ path }) => path.startsWith('server/sql/'))
    .map(({ path }) => ({ path, code: withoutComments(readFileSync(join(root, path), 'utf8')) }))

  for (const { says, find, planted } of rules)
    it(`requires that ${says}`, () => {
      expect(
        find(withoutComments(`/* fine */ ${planted} // fine`)),
        'the planted breach is found',
      ).to.have.length(1)
      expect(sources.length).to.be.greaterThan(50)
      const found = sources.flatMap(({ path, code }) => find(code).map((text) => `${path}: ${text}`))
      expect(found).to.deep.equal([])
    })

  it('keeps transitions pure and free of adapters', () => {
    const impure = readSources(root)
      .files.filter(({ path }) => path.startsWith('core/transitions/'))
      .flatMap(({ path }) => {
        const code = withoutComments(readFileSync(join(root, path), 'utf8'))
        return matches(code, /\bDate\.now\b|\bawait\b|\basync\b|\bMath\.random\b|from 'node:/g).map(
          (text) => `${path}: ${text}`,
        )
      })
    expect(impure).to.deep.equal([])
  })
})
