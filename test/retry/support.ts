import type { Run } from '../../core/domain/run.ts'
import type { RunOutcome } from '../../core/engine/scope/flow.ts'
import type { InterfaceCalls } from '../../core/interface/interface-calls.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { createRetries, type Retries } from '../../core/retry/retries.ts'
import { makePlaybook } from '../engine/support/make-playbook.ts'
import type { Bench, TestSkills } from '../engine/support/bench.ts'

/** Every skill is a repeatable write, except for `x.read`. */
const catalogue = {
  skill: (name: string) => ({ skill: { effect: name === 'x.read' ? 'read' : 'write' } }),
} as unknown as Pick<Catalogue, 'skill'>

type Source = Parameters<typeof makePlaybook>[0]

/** A version of a playbook with its own hash. */
export function version(source: Source, letter: string): Playbook {
  return { ...makePlaybook(source), hash: letter.repeat(64), calls: ['called'] }
}

/** Runs of versions of one playbook, and their retries. */
export interface Rehearsal {
  readonly retries: Retries
  /** Of `tested`, and of `called`. */
  readonly newest: Map<string, Playbook>
  /** Runs to its end, from the beginning. */
  first(playbook: Playbook, skills: TestSkills, cancel?: AbortSignal): Promise<Ended>
  /** Retries with the version of the queued run. */
  goOn(run: Run, skills: TestSkills): Promise<Ended>
}

export interface Ended {
  readonly run: Run
  readonly outcome: RunOutcome
}

export function rehearsal(
  bench: Bench,
  versions: readonly Playbook[],
  interfaces?: InterfaceCalls,
): Rehearsal {
  const { stores } = bench
  const byHash = async (hash: string) => versions.find((playbook) => playbook.hash === hash)!
  const newest = new Map(versions.map((playbook) => [playbook.name, playbook]))
  const library = { byHash, newest: (name: string) => newest.get(name)?.hash }
  const playbooks = { newest: library.newest, load: byHash }

  async function go(queued: Run, skills: TestSkills, cancel?: AbortSignal): Promise<Ended> {
    const run = (await stores.runs.start(queued.uuid, { title: 'tested' }))!
    const playbook = await byHash(run.playbookHash)
    const names = { inputs: run.inputs }
    const outcome = await bench.go(playbook, skills, {
      run,
      playbooks,
      names,
      ...(cancel && { cancel }),
      ...(interfaces && { interfaces }),
    })
    return { run: await stores.runs.end(run.uuid, outcome), outcome }
  }

  return {
    newest,
    retries: createRetries({ stores, library, catalogue, enqueue() {} }),
    async first({ name, hash, inputs }, skills, cancel) {
      const given = Object.fromEntries(Array.from(inputs, ([key, input]) => [key, input.default?.value]))
      const run = await stores.runs.queue({
        organizationUuid: bench.organizationUuid,
        playbookName: name,
        playbookHash: hash,
        alertUuid: null,
        inputs: given,
      })
      return await go(run, skills, cancel)
    },
    goOn: (run, skills) => go(run, skills),
  }
}
