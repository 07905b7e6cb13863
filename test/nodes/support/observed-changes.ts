import type { EffectSandbox } from '../../crash/sandbox.ts'

/** Something that the database can be asked. */
interface Queried {
  query(sql: string): Promise<readonly Record<string, unknown>[]>
}

/** An effect may arrive this much later than its request was sent, in milliseconds. */
const onItsWayMs = 1_000

/** Notes in the database itself when runs end and when outcomes of steps are written: also what is written twice. */
export async function observeChanges(database: Queried): Promise<void> {
  await database.query(`
    CREATE SCHEMA observed;
    CREATE TABLE observed.changes (
      what text NOT NULL, id bigint NOT NULL, state text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX changes_of ON observed.changes (what, id);
    CREATE FUNCTION observed.run_ended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO observed.changes (what, id, state) VALUES ('run', NEW.id, NEW.status); RETURN NULL;
    END $$;
    CREATE FUNCTION observed.step_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO observed.changes (what, id, state) VALUES ('step', NEW.id, NEW.state); RETURN NULL;
    END $$;
    CREATE TRIGGER observed AFTER UPDATE OF ended_at, status ON runs FOR EACH ROW
      WHEN (NEW.ended_at IS NOT NULL) EXECUTE FUNCTION observed.run_ended();
    CREATE TRIGGER observed AFTER UPDATE OF state ON journal FOR EACH ROW
      WHEN (NEW.state <> 'started') EXECUTE FUNCTION observed.step_changed();`)
}

/** Runs that did not end exactly once, and outcomes of steps that were written more than once, as sentences. */
export async function findRepeatedChanges(database: Queried): Promise<readonly string[]> {
  const rows = await database.query(
    `SELECT 'run' AS what, r.id, coalesce(string_agg(c.state, ', ' ORDER BY c.at), 'never') AS states
       FROM runs r LEFT JOIN observed.changes c ON c.what = 'run' AND c.id = r.id GROUP BY r.id HAVING count(c.id) <> 1
     UNION ALL SELECT 'step', id, string_agg(state, ', ' ORDER BY at) FROM observed.changes
       WHERE what = 'step' GROUP BY id, state HAVING count(*) > 1`,
  )
  return rows.map(({ what, id, states }) => `${String(what)} ${String(id)} ended: ${String(states)}`)
}

/** The calls of `acting-plugin.ts`, by the alert whose run acts. */
interface Call {
  readonly run: string
  readonly path: string
  readonly state: string
  /** When the effects were received, in epoch milliseconds. */
  readonly effects: readonly number[]
  /** What is wrong with them; undefined: nothing. */
  readonly problem: string | undefined
}

export async function readCalls(database: Queried, sandbox: EffectSandbox): Promise<readonly Call[]> {
  const received = new Map<string, number[]>()
  for (const { skill, at } of sandbox.effects) {
    const name = skill.replace(/\/.*-/, '/')
    received.set(name, [...(received.get(name) ?? []), at])
  }
  const steps = await database.query(
    `SELECT r.uuid AS run, j.path, j.state, j.error, a.sequence, (SELECT extract(epoch FROM min(c.at)) * 1000 FROM observed.changes c
         WHERE c.what = 'step' AND c.id = j.id AND c.state = 'unknown') AS doubted
     FROM journal j JOIN runs r ON r.id = j.run_id JOIN alerts a ON a.id = r.alert_id WHERE j.kind LIKE 'acting.%'`,
  )
  const calls = steps.map(({ run, path, state, error, sequence, doubted }) => {
    const effects = received.get(`${String(path)}/${String(sequence)}`) ?? []
    const call = { run: String(run), path: String(path), state: String(state), effects }
    const doubtedAt = doubted === null ? Infinity : Number(doubted)
    const problem = problemOf(call, doubtedAt)
    return { ...call, problem: problem && `${call.path}/${String(sequence)} ${problem}, ${String(error)}` }
  })
  const known = new Set(steps.map(({ path, sequence }) => `${String(path)}/${String(sequence)}`))
  const others = [...received].filter(([name]) => !known.has(name))
  return [...calls, ...others.map(([name, effects]) => unrecorded(name, effects))]
}

const unrecorded = (path: string, effects: readonly number[]): Call => ({
  run: '',
  path,
  state: 'absent',
  effects,
  problem: `${path} was done and is not recorded`,
})

function problemOf({ path, state, effects }: Omit<Call, 'problem'>, doubtedAt: number): string | undefined {
  const [first = 0] = effects
  const last = effects.at(-1) ?? 0
  if (effects.length > 1) return `was done ${effects.length} times, within ${last - first} ms`
  if (state === 'completed') return effects.length === 0 ? 'is completed and was not done' : undefined
  if (path === 'verify' || state !== 'unknown') return `is ${state}`
  return last > doubtedAt + onItsWayMs ? 'was sent after another node had taken over' : undefined
}
