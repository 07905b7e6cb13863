import type { Promised } from '../promised.ts'

/** What else may fail, and the processes that end. */
export const failurePromises: readonly Promised[] = [
  {
    title: 'A failing system affects only the step that calls it',
    exactly: `
Statuses 408, 429 and 5xx, connection resets and invalid answers are retried a limited number of times. \`Retry-After\` is respected up to the
step's longest wait. A write that must not be repeated waits for a person instead (promise 2).

Silence and slow bodies end with the step's timeout. Bodies of more than 10 MB, compressed or not, are refused. Every attempt ends by its deadline, and memory
stays limited.
`,
    proofs: [
      {
        file: 'faults/dead-peers.test.ts',
        title:
          'runs with failing other systems end with their own errors after the allowed attempts, within bounded memory',
        planted: ['bodies have no size limit'],
      },
      {
        file: 'faults/dead-peers.test.ts',
        title: 'runs with failing other systems do not affect other runs',
      },
      { file: 'egress/exchange.test.ts', title: 'egress: an exchange' },
      { file: 'engine/retries.test.ts', title: 'local durable context: attempts' },
    ],
  },
  {
    title: 'An alert storm loses no accepted alert',
    exactly: `
Under overload, alerts are refused with 503 and \`Retry-After\`: those with a type if too many investigations are queued, all of an organization
if 1,000 of its alerts wait for the store. Every alert answered with 2xx is kept. Organizations take turns, at the store and in the engine,
so one that sends many alerts does not delay the others.
`,
    proofs: [
      {
        file: 'faults/storm.test.ts',
        title:
          'a storm of alerts is accepted up to the limit, refused beyond with Retry-After, and kept as far as accepted',
        planted: ['the queue of an organization has no limit'],
      },
      {
        file: 'http/create-alert.test.ts',
        title: 'POST alerts refuses an alert with a type if the run queue is full, and stores nothing',
      },
      {
        file: 'sqlite/group-commit.test.ts',
        title: 'GroupCommit refuses writes when its queue is full, and accepts them afterwards',
      },
      {
        file: 'http/intake-gate.test.ts',
        title: 'the alert intake queue',
        planted: ['all organizations share one intake queue'],
      },
      {
        file: 'engine/runner.test.ts',
        title: 'runner alternates between organizations',
        planted: ['organizations do not take turns'],
      },
      { file: 'engine/runner.test.ts', title: 'runner respects the limit of concurrent runs' },
    ],
  },
  {
    title: 'A failing disk is never answered with 2xx',
    exactly: `
If the disk is full, read-only, or fails to write or sync, Tocsin acknowledges nothing that it cannot keep: the answer is 503 with \`store_unavailable\`.
Reads still work, \`/readyz\` answers 503, and runs wait with their results in memory. Everything resumes when the disk works again.

A start needs to write: on a full disk it ends with an error, and a supervisor must retry. A damaged page is reported as damage; data on other pages
stays available. If the data directory disappears or the database is replaced, Tocsin acknowledges nothing, starts no step, and exits after some
seconds. Everything acknowledged before is in the database, wherever that is.

On PostgreSQL, writes wait for up to 10 seconds while it cannot be reached, and are then answered 503; reads fail too. If the connection is lost during a commit, the node
asks for up to 30 seconds whether it was stored. Without an answer, the outcome is unknown: the request is answered 503, and may have been stored. If the database is
put back to an earlier state while nodes run, they exit within seconds; if its tables are missing, they acknowledge nothing until they are back.
`,
    proofs: [
      {
        file: 'faults/disk.test.ts',
        title:
          'tocsin serve with a temporary disk failure acknowledges only what it stores, serves reads, reports the failure, and recovers:',
        planted: ['writes are acknowledged before the commit', 'an unavailable store fails the step'],
      },
      {
        file: 'faults/data-directory.test.ts',
        title:
          'tocsin serve without its data directory acknowledges nothing, begins no step, reports the loss and ends, with acknowledged alerts kept:',
        planted: ['a moved or replaced database file is not detected'],
      },
      {
        file: 'sqlite/database-file-guard.test.ts',
        title: 'SQLite stores whose files are moved or replaced',
        planted: ['a moved or replaced database file is not detected'],
      },
      {
        file: 'sqlite/crash.test.ts',
        title: 'stores after a crash contain acknowledged writes and no refused ones',
      },
      { file: 'sqlite/group-commit.test.ts', title: 'GroupCommit rejects the whole group if the' },
      {
        file: 'sqlite/group-commit.test.ts',
        title: 'GroupCommit refuses while the file is read-only, allows reads, and recovers',
      },
      {
        file: 'sqlite/open.test.ts',
        title: 'opening SQLite stores detects',
        planted: ['the disk probe writes nothing'],
      },
      {
        file: 'sqlite/open.test.ts',
        title: 'opening SQLite stores reports a damaged page',
        planted: ['a damaged page is not reported'],
      },
    ],
  },
  {
    title: 'Signals stop the process cleanly',
    exactly: `
On SIGTERM, Tocsin accepts nothing more, lets active runs end or wait for up to 20 seconds, and exits with 0. A process that was stopped with SIGSTOP and continued repeats
nothing. A second process on the same data is refused.

On PostgreSQL, several processes work on the same data, and a process that stops hands its runs to the others.
`,
    proofs: [
      { file: 'end-to-end/serve.test.ts', title: 'tocsin serve exits with 0 soon after SIGTERM' },
      {
        file: 'end-to-end/serve.test.ts',
        title: 'tocsin serve, stopped while it works,',
        planted: ['SIGTERM aborts active work immediately'],
      },
      {
        file: 'engine/runner.test.ts',
        title: 'runner drain',
        planted: ['SIGTERM aborts active work immediately'],
      },
      {
        file: 'faults/signals.test.ts',
        title:
          'tocsin serve, stopped with SIGSTOP and continued, repeats nothing, loses nothing, and fires every timer once',
        planted: ['an action that must not be repeated is retried'],
      },
      {
        file: 'faults/signals.test.ts',
        title:
          'a second tocsin serve on the same data refuses to start, names the first, and leaves it alone',
        planted: ['the data directory is not locked'],
      },
      {
        file: 'sqlite/lock.test.ts',
        title: 'the lock of a data directory refuses a second process, names the first, and ends with kill -',
      },
    ],
  },
  {
    title: 'A run that crashes the process does not stop the others',
    exactly: `
After two crashes in a row, the runs that were active are taken up one by one, or in groups if there are many. Each is watched until it ends or waits, or for two
seconds (doubled with each further crash). No other run starts in the meantime: for at most 30 seconds, and never for more than five minutes. \`GET /engine\`
shows this. A planned stop clears all suspicion.

If the process stops twice more while one run is watched alone, Tocsin gives up on that run: its step or the run fails, and \`on_error\` and \`finally\` run.
All other runs continue, however often they were interrupted. Repeated kills from outside without SIGTERM can make a healthy run look guilty.

An alert that crashes the process before it has a run is given up after three starts in a row that found it unfinished. An upgrade keeps waiting runs: each
resumes with the playbook that it began with.
`,
    proofs: [
      {
        file: 'faults/poison.test.ts',
        title:
          'a run that crashes the process fails alone after four crashes; the process then starts, and the other runs have ended',
        planted: ['no run is suspected after a crash'],
      },
      {
        file: 'faults/poison.test.ts',
        title:
          'an alert that crashes the process before it has a run fails alone; the process then starts and works',
        planted: ['an alert that crashes the process is retried forever'],
      },
      {
        file: 'engine/runner.test.ts',
        title: 'runner after crashes of the process',
        planted: [
          'every active run is suspected after a crash',
          'a planned stop counts as a crash',
          'a run is given up after one crash alone',
        ],
      },
      {
        file: 'engine/plan-watch.test.ts',
        title: 'the watch after crashes',
        planted: [
          'many suspects block all other runs',
          'a run that was watched at a crash is not suspected more',
        ],
      },
      {
        file: 'faults/upgrade.test.ts',
        title: 'an upgrade from the first release',
        planted: ['paths of steps differ from the previous release'],
      },
    ],
  },
]
