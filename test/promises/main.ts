/**
 * `npm run test:crash -- [--times N] [--seed N] [--workers N] [--no-planted] [--only TEXT]`: runs the tests
 * of the promises, longer than `npm test` does; then plants each bug in a copy of the program and checks that
 * its tests fail. Writes the results to docs/promises.md; `--only` restricts it to tests and bugs whose name
 * contains the text, and replaces only their results. Exits with 1 if a test failed or a bug was missed.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { arch, availableParallelism, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { keyOf, promisesPage, type LastRun, type Result } from './page.ts'
import { plantedBugs, type PlantedBug } from './planted-bugs.ts'
import type { Proof } from './promised.ts'
import { promises } from './promises.ts'
import { runMocha, testsOf, type RanTest } from './tests-of.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const say = (line: string) => process.stdout.write(`${line}\n`)

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    workers: { type: 'string', default: '1' },
    'no-planted': { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})
const { times, seed, workers, only } = values
const proofs = promises
  .flatMap((promise) => promise.proofs)
  .filter(({ file, title, planted = [] }) => [file, title, ...planted].some((text) => text.includes(only)))
say(`seed ${seed}, loops ${times} times as long as in npm test, skills in ${workers} threads`)

const tests = await runMocha([...new Set(proofs.map(({ file }) => file))], {
  env: { TOCSIN_TEST_TIMES: times, TOCSIN_TEST_SEED: seed, TOCSIN_TEST_WORKERS: workers },
})
const results: Record<string, Result> = {}
for (const proof of proofs) {
  const own = testsOf(proof, tests)
  results[keyOf(proof)] = {
    passed: count(own, 'passed'),
    failed: count(own, 'failed'),
    pending: count(own, 'pending'),
  }
}
for (const { title, file } of tests.filter(({ state }) => state === 'failed'))
  say(`failed: ${title} (${file})`)
say(`${count(tests, 'passed')} passed, ${count(tests, 'failed')} failed, ${count(tests, 'pending')} pending`)

const planted: Record<string, 'noticed' | 'missed'> = {}
if (!values['no-planted']) {
  for (const [name, bug] of Object.entries(plantedBugs)) {
    const own = proofs.filter((proof) => proof.planted?.includes(name))
    if (own.length === 0) continue
    planted[name] = (await areRed(own, bug)) ? 'noticed' : 'missed'
    say(`planted: ${name}: ${planted[name]}`)
  }
}

const date = new Date().toISOString().slice(0, 10)
const run = { date, seed: Number(seed), times: Number(times) }
const file = join(root, 'test/promises/last-run.json')
const last: LastRun =
  only === '' ? completeRun() : withLaterRun(JSON.parse(await readFile(file, 'utf8')) as LastRun)
await writeFile(file, `${JSON.stringify(last, null, 2)}\n`)
await writeFile(join(root, 'docs/promises.md'), promisesPage(last))
const isGood = count(tests, 'failed') === 0 && !Object.values(planted).includes('missed')
process.exitCode = isGood ? 0 : 1

function completeRun(): LastRun {
  const machine = `${availableParallelism()} cores, ${platform()} ${arch()}, Node ${process.versions.node}`
  return { ...run, machine, results, planted }
}

function withLaterRun(known: LastRun): LastRun {
  const later = Object.entries(results).map(([key, result]) => [key, { ...result, run }])
  return {
    ...known,
    results: { ...known.results, ...(Object.fromEntries(later) as LastRun['results']) },
    planted: { ...known.planted, ...planted },
  }
}

function count(tests: readonly RanTest[], state: RanTest['state']): number {
  return tests.filter((test) => test.state === state).length
}

/** Whether each of the tests fails in a copy of the program with the bug. */
async function areRed(own: readonly Proof[], { file, find, replace }: PlantedBug): Promise<boolean> {
  const copy = await mkdtemp(join(tmpdir(), 'tocsin-planted-'))
  try {
    const parts = [
      'core',
      'server',
      'cli',
      'plugins',
      'playbooks',
      'schemas',
      'test',
      'docs',
      'package.json',
      '.mocharc.json',
    ]
    await Promise.all(parts.map((part) => cp(join(root, part), join(copy, part), { recursive: true })))
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    const source = await readFile(join(copy, file), 'utf8')
    await writeFile(
      join(copy, file),
      source.replace(find, () => replace),
    )
    for (const proof of own) {
      const ran = testsOf(
        proof,
        await runMocha([proof.file], { root: copy, exits: true, env: { TOCSIN_TEST_WORKERS: workers } }),
      )
      if (!ran.some(({ state }) => state === 'failed')) return false
    }
    return true
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}
