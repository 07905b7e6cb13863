/** The promises about alerts, runs and steps, with the tests that check them. docs/promises.md is generated from this. */
export interface Promised {
  readonly title: string
  /** The exact promise and its limits, as Markdown. */
  readonly exactly: string
  readonly proofs: readonly Proof[]
}

export interface Proof {
  /** Below `test/`. */
  readonly file: string
  /** Beginning of the full titles, without the seed. */
  readonly title: string
  /** Planted bugs that this test detects; see `planted-bugs.ts`. */
  readonly planted?: readonly string[]
}

export const promises: readonly Promised[] = [
  {
    title: 'An acknowledged alert is kept and investigated',
    exactly: `
An alert answered with 2xx survives kill -9 at any instant and a power failure, and its id is never reused. It is investigated, and its run ends
exactly once. If no answer arrived, the outcome is unknown: send the alert again, with an \`Idempotency-Key\` to avoid storing it twice.

For power failures, Tocsin relies on the operating system: data reported as synced must be on the disk.

On PostgreSQL, 2xx means that PostgreSQL has committed the alert. It survives the loss of the primary only if the standby that you promote was synchronous.
`,
    proofs: [
      {
        file: 'end-to-end/kill.test.ts',
        title:
          'a server killed with kill -9 under load keeps every alert it answered with 201, and ends each investigation once with one case',
        planted: [
          'alerts with status Created are not resumed at the start',
          'unfinished runs are not resumed at the start',
        ],
      },
      {
        file: 'sqlite/crash.test.ts',
        title:
          'stores after a crash have every alert acknowledged before kill -9, and no missing or duplicate sequence number',
      },
      {
        file: 'faults/power-cut.test.ts',
        title: 'alerts after a power cut are all present if acknowledged, whatever else reached the disk',
        planted: ['commits do not wait for the disk'],
      },
      {
        file: 'faults/power-cut.test.ts',
        title: 'alerts after a power cut are present even if the power fails between any two calls',
      },
      {
        file: 'faults/power-cut.test.ts',
        title: 'alerts after a power cut are lost if commits do not wait for the disk (planted bug)',
      },
    ],
  },
  {
    title: 'A recorded step never runs again',
    exactly: `
The result of a step is recorded once and then only read. If the process died between the intent of a step and its result, the declaration of its
skill decides: \`read\` and \`safe\` repeat with the same inputs and the same idempotency key, \`verify\` first asks the other system, \`never\` becomes
\`unknown\` and waits for a person. The playbook's \`on_interrupted\` overrides this.

The same applies if the last attempt ended with an unknown effect (a timeout, a cut connection, an answer 500 or an unreadable one): \`never\` becomes
\`unknown\`, and \`verify\` asks the other system once more. A \`never\` is retried only after an error that proves that nothing happened. The exception is
a run that seems to crash the process: its step fails (promise 9). Exactly-once delivery is impossible if the other system does not help.

A change of the state of a playbook and its record are one commit: a counter never counts twice, and one of several runs sees a key as new.

The order in which branches and calls end does not change the journal.
`,
    proofs: [
      {
        file: 'crash/kill.test.ts',
        title:
          'runs of a process killed with kill -9 end once, repeat no ended step, and follow their effect classes after kills at',
        planted: ['the intent of a step is not recorded'],
      },
      {
        file: 'crash/kill.test.ts',
        title:
          'runs of a process killed with kill -9 resume after a kill right after an effect, for each step in turn',
      },
      {
        file: 'crash/kill.test.ts',
        title:
          'runs of a process killed with kill -9 are detected to repeat effects without intents (planted bug)',
      },
      {
        file: 'engine/crash-at-every-write.test.ts',
        title: 'a run whose process crashes ends the same after a crash just before each of its writes',
        planted: ['the intent of a step is not recorded', 'a step does not wait until its intent is stored'],
      },
      {
        file: 'engine/crash-at-every-write.test.ts',
        title: 'a run whose process crashes ends the same after a crash just after each of its writes',
      },
      {
        file: 'engine/crash-at-every-write.test.ts',
        title: 'a run whose process crashes ends the same after two crashes',
      },
      {
        file: 'engine/interruptions.test.ts',
        title: 'local durable context: interruptions',
        planted: ['an interrupted step is repeated regardless of its class'],
      },
      {
        file: 'engine/interpreter-determinism.test.ts',
        title: 'interpreter determinism writes the same journal regardless of the order in which steps end',
        planted: ['the result depends on the order in which work ends'],
      },
      {
        file: 'state/kill.test.ts',
        title: 'state of runs whose process is killed with kill -9',
      },
      {
        file: 'state/state-steps.test.ts',
        title: 'steps with state change it exactly once after a crash just',
      },
      {
        file: 'state/state-steps.test.ts',
        title: 'steps with state let exactly one of concurrent runs see a key as new',
      },
    ],
  },
  {
    title: 'A question is answered once',
    exactly: `
The first answer of the person who was asked counts. A second answer has no effect, and an answer after the timeout is recorded as late. If an answer and a
timeout coincide, one wins, and everyone sees the same one.

An answer over a connection counts only if its other system is proven to have sent it, the question went out over this connection, and this person
was asked. Sending it again has no effect, even after a restart. The person who was asked is told the outcome of the question at least once.
`,
    proofs: [
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores CheckpointStore takes the first answer',
        planted: ['a second answer replaces the first'],
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores CheckpointStore lets the first of answer and timeout win',
        planted: ['a timeout replaces an answer'],
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores CheckpointStore takes no answer after the timeout',
      },
      { file: 'engine/checkpoints.test.ts', title: 'a checkpoint' },
      {
        file: 'end-to-end/inbound.test.ts',
        title: 'an inbound answer over a connection',
        planted: [
          'the answer of another person counts',
          'a question of another connection can be answered',
          'a repeated webhook call is processed again',
        ],
      },
      {
        file: 'engine/follow-ups.test.ts',
        title: 'a question',
        planted: ['a question that closed before a restart is not settled'],
      },
    ],
  },
  {
    title: 'Timers and waits survive',
    exactly: `
Waits, timeouts of questions, retry delays and schedules are stored as clock times. A restart does not change them, and an overdue one fires once.

A clock set forward is noticed within five minutes; schedules in the skipped time fire once. A clock set back lengthens waits by that time; no wait is lost
or doubled, and queued and answered runs are not delayed. A schedule computed while the clock was more than three hours ahead is recomputed at the
next start.
`,
    proofs: [
      {
        file: 'faults/clock-steps.test.ts',
        title: 'a clock change while runs wait',
        planted: [
          'a change of the system clock is not noticed',
          'a schedule keeps a time computed with a wrong clock',
          'a queued run is due at the time at which it was queued',
          'a woken run is due at the time at which it was woken',
          'ended waits are lost if the clock is set back',
          'a run that is taken too early is lost',
        ],
      },
      {
        file: 'engine/run-control.test.ts',
        title: 'run control schedules fire once for all due times while no process ran',
      },
      {
        file: 'engine/run-control.test.ts',
        title: 'run control resumes a run whose checkpoint was answered or timed out while no process ran',
      },
      {
        file: 'engine/alarms.test.ts',
        title: 'alarms',
        planted: ['an alarm earlier than all others is ignored'],
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores ScheduleStore fires once per due time',
        planted: ['a schedule fires once for each process'],
      },
    ],
  },
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
asks for up to 30 seconds whether it was stored. Without an answer, the outcome is unknown: the request is answered 503, and may have been stored.
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
  {
    title: 'A retry continues from the failed step',
    exactly: `
The new run has its own journal, with a copy of the carried results. A large journal is copied in pieces, so that other work continues; until the copy is complete, also after a
crash, the run does not start and shows no steps.

Carried steps never run again. Only the actions listed under \`repeats\` in the preview can be repeated, with a new idempotency key. For skills of class
\`verify\` with the same input, Tocsin first asks the other system under the earlier key, and does not repeat a call that happened. A run can be retried once.
`,
    proofs: [
      {
        file: 'faults/retries.test.ts',
        title: 'retries on a server',
        planted: ['a retry does not know completed steps'],
      },
      {
        file: 'sqlite/journal-copies.test.ts',
        title: 'the journal copied by a retry',
        planted: ['a retry starts before the journal is copied completely'],
      },
      {
        file: 'retry/every-failure.test.ts',
        title: 'a retry ends',
        planted: ['a retry carries over failed steps'],
      },
      {
        file: 'retry/cut-off.test.ts',
        title: 'a retry of a partly aborted run',
        planted: ['a retry carries over interrupted steps'],
      },
      {
        file: 'retry/asked-first.test.ts',
        title: 'a retry of a step with unknown outcome and a verifying skill',
        planted: ['a retry does not verify earlier effects'],
      },
      {
        file: 'retry/edited-playbook.test.ts',
        title: 'a retry with an edited playbook',
        planted: ['an edited step counts as unchanged'],
      },
    ],
  },
  {
    title: 'A repeat ends with the investigation that it joined',
    exactly: `
A repeat of an alert is stored like any other alert, belongs to the same case, and is Completed exactly when the investigation of the first alert has completed, also
across kill -9. If that investigation failed, the next repeat is investigated. Alerts with missing fields, of a closed case, or after the time window are not repeats.
The decision is part of the write that would queue the run, so simultaneous alerts have one run.
`,
    proofs: [
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores RunStore, alerts that may repeat',
        planted: [
          'repeats do not end with the run',
          'repeats complete although the first investigation failed',
        ],
      },
      {
        file: 'sqlite/alert-groups.test.ts',
        title:
          'repeats of an alert in SQLite end at the next start if the process stopped between the end of the run and theirs',
        planted: ['repeats of a killed process never end'],
      },
      {
        file: 'faults/grouping.test.ts',
        title:
          'repeats of an alert on a killed server are all kept in one case with one run, and end with it',
      },
      { file: 'investigation/group-of.test.ts', title: 'groupOf' },
    ],
  },
  {
    title: 'Destructive actions beyond the limit need an approval',
    exactly: `
Per class of destructive skills, organization and hour, no more actions start than the limit (\`TOCSIN_DESTRUCTIVE_PER_HOUR\`, or the organization's own) without
a person's approval. An action is counted together with its intent in one write, once per step, and stays counted across restarts, unless it certainly changed
nothing. Further actions wait, also across restarts, until they are approved or refused; only \`approve\` approves. Single actions that were refused are not performed.

The hour is elapsed time: setting the clock of a running process does not change it. Setting it forward while no process runs shortens the hour.
`,
    proofs: [
      {
        file: 'engine/approvals.test.ts',
        title: 'a destructive skill over its limit',
        planted: [
          'the limit of destructive actions is off by one',
          'the hour of destructive actions follows the system clock',
          'after a restart, a step starts without its approval if the limit allows it',
          'any answer approves an action',
        ],
      },
      {
        file: 'sqlite/destructive-uses.test.ts',
        title: 'uses of destructive skills in SQLite',
        planted: ['a start forgets earlier destructive actions'],
      },
      { file: 'end-to-end/breaker.test.ts', title: 'too many uses of a destructive skill' },
      {
        file: 'end-to-end/approvals-killed.test.ts',
        title:
          'approved actions of a server killed with kill -9 happen at most once if approved, and never if refused',
        planted: ['refused actions of an approval are performed'],
      },
    ],
  },
  {
    title: 'A containment that expires is undone once',
    exactly: `
The run that undoes it is queued in the write that claims the containment, and the outcome of its call is recorded with the end of the containment. An expiry that
passes while no process runs fires at the next start. Kills at any instant lead neither to a second undo nor to none: a skill of class \`safe\` repeats under the same key, \`verify\` asks
first, and one of class \`never\` is called at most once and is \`unknown\` if nobody knows whether it took effect.

What cannot be undone, because its condition, its input, its skill, its connection or the other system fails, is \`overdue\` with the reason, and people decide. A clock set back lengthens
a containment by that time.
`,
    proofs: [
      {
        file: 'destructive/kill/kill.test.ts',
        title:
          'expired containments of a server killed with kill -9 are undone exactly once, or have an unknown outcome, after kills at random times',
        planted: ['the outcome of an undo does not end its containment'],
      },
      {
        file: 'destructive/kill/kill.test.ts',
        title:
          'expired containments of a server killed with kill -9 are undone exactly once, or have an unknown outcome, after kills right after an undo',
        planted: [
          'the undo of an expired containment does not claim it',
          'an interrupted step is repeated regardless of its class',
        ],
      },
      {
        file: 'destructive/expiry.test.ts',
        title: 'the expiry of containments',
        planted: [
          'containments that expired while no process ran are not undone',
          'an error of the condition of an expiry means false',
        ],
      },
      { file: 'sqlite/contract.test.ts', title: 'SQLite stores ContainmentStore with an expiry' },
    ],
  },
  {
    title: 'All runs share the rate limit of a connection',
    exactly: `
All runs of the process share the rate limit of a connection, as its plugin declares it: in no time span are more requests sent than allowed. A 429 with
\`Retry-After\` delays all of them for that time, up to five minutes. Waiting steps take turns in order of arrival, and waiting is not a failure. Limits are kept in
memory: a new process starts with an unused budget.

On PostgreSQL, the nodes divide the budget, and each one keeps its part in memory: in no time span do all of them together send more than allowed, also while nodes join, leave or
freeze. A node that joins sends nothing over a limited connection until the others count it. When one leaves or is lost, the others use its part as soon as
its requests no longer count, after at most a minute. A 429 with \`Retry-After\` is told to all nodes; one that misses it learns it with its own next request.
`,
    proofs: [
      {
        file: 'skill/rates-of-runs.test.ts',
        title: 'runs that share a connection share its rate limit without a failed step',
        planted: [
          'sent requests do not count towards the rate limit',
          'a step that waits for the rate limit fails',
        ],
      },
      { file: 'skill/rate-bucket.test.ts', title: 'a rate bucket' },
      {
        file: 'skill/rates.test.ts',
        title: 'the rate limit of a connection',
        planted: ['Retry-After closes nothing'],
      },
      { file: 'engine/retries.test.ts', title: 'local durable context: attempts retries honors Retry-After' },
      {
        file: 'nodes/node-share.test.ts',
        title: 'the rate limit of a connection over several nodes holds while nodes join, leave and freeze',
        planted: [
          'each node uses the whole rate limit',
          'a node uses the part of a lost one while its requests still count',
        ],
      },
    ],
  },
  {
    title: 'An event starts each playbook once',
    exactly: `
A change of a case, or an alert whose observables are counted, is stored together with the note that playbooks wait for it; a second write removes the note and
queues the runs. So a crash at any instant neither loses nor doubles a run. A playbook never starts because of its own run, also not through other
playbooks, unless the change comes back through another system. Changes are noted only while a live playbook waits for them.
`,
    proofs: [
      {
        file: 'trigger/event-dispatcher.test.ts',
        title:
          'events that start playbooks changes of cases that happened before a crash start their runs at the next start, once',
      },
      {
        file: 'sqlite/contract.test.ts',
        title: 'SQLite stores TriggerStore settles an event once, with its runs and notes',
        planted: ['an event stays after its runs were queued'],
      },
      {
        file: 'trigger/event-dispatcher.test.ts',
        title:
          'events that start playbooks changes of cases never start a playbook because of its own run, also not through another playbook',
        planted: ['a playbook may start because of its own run'],
      },
      {
        file: 'trigger/event-dispatcher.test.ts',
        title:
          'events that start playbooks observables in alerts start it once in a window, and again after it',
        planted: ['an observable starts a playbook with every further alert'],
      },
      {
        file: 'trigger/event-dispatcher.test.ts',
        title:
          'events that start playbooks observables in alerts are counted exactly when many alerts arrive at once',
      },
      {
        file: 'http/trigger-playbook.test.ts',
        title:
          'POST playbooks/{playbook}/trigger/{organization} starts one run for repeated requests with an Idempotency-Key',
      },
    ],
  },
  {
    title: 'A playbook in shadow changes nothing',
    exactly: `
A playbook with \`mode: shadow\` sends no write to another system, asks nobody, opens no case and starts no run, also if the process is killed while it is judged.
It calls only skills that declare to read; what they send, such as the request for a token or a query by POST, is a read. Nothing starts or calls it. An alert that a
crash interrupted is judged again, and has one result.
`,
    proofs: [
      {
        file: 'end-to-end/shadow-kill.test.ts',
        title: 'a shadow whose server is killed with kill -9 judges every alert once, and sends no write',
      },
      {
        file: 'end-to-end/shadow-kill.test.ts',
        title:
          'a shadow whose server is killed with kill -9 would be found out if it sent one: a live run is',
      },
      {
        file: 'shadow/no-writes.test.ts',
        title: 'a shadow of any shipped playbook reads, and sends no write',
        planted: ['a replay calls skills that write'],
      },
      {
        file: 'shadow/no-writes.test.ts',
        title: 'a shadow of a generated playbook sends no write',
        planted: ['a replay calls skills that write'],
      },
      {
        file: 'shadow/no-writes.test.ts',
        title: 'a shadow is refused by a second guard if a replay asked for a write',
        planted: ['a shadow may call any skill'],
      },
      {
        file: 'playbook/shadow.test.ts',
        title: 'a playbook in shadow is never started',
        planted: ['a playbook in shadow can be started'],
      },
    ],
  },
  {
    title: 'A server that was replaced does nothing more',
    exactly: `
With a [standby](operations.md#a-standby), a server that freezes, for example in a paused virtual machine, and continues after the standby has taken over sends
nothing to other systems, acknowledges nothing and exits. Its runs continue in the standby, each step by its class as after a crash. Two gaps remain: a pause
in the microseconds between the last check of the lease and the first byte of a request, and a pause that neither clock of the machine shows, such
as a snapshot that is resumed without setting the time. Such a request may be sent; its outcome is not recorded a second time.

On PostgreSQL, the same holds for a node that the others have removed. A node that cannot reach the database sends nothing after five seconds, and continues if nobody removed it.
`,
    proofs: [
      {
        file: 'nodes/failover.test.ts',
        title:
          'a server with a standby is replaced when it is killed; the standby says meanwhile that it is not ready',
      },
      {
        file: 'nodes/failover.test.ts',
        title:
          'a server with a standby sends nothing, acknowledges nothing and exits if it was stopped during a call and replaced',
        planted: ['a request needs no lease', 'a process that was replaced may still write'],
      },
      {
        file: 'nodes/failover.test.ts',
        title: 'a server with a standby goes on where it was if nobody took over while it was stopped',
      },
      {
        file: 'nodes/lease.test.ts',
        title:
          'a run without the lease calls no skill until the lease is held, also between its intent and its call',
        planted: ['a step needs no lease between its intent and its call'],
      },
      {
        file: 'nodes/lease.test.ts',
        title: 'a takeover waits longer than a lease, and then removes the earlier processes',
        planted: ['a takeover does not wait for the end of the lease'],
      },
      {
        file: 'engine/lost-turns.test.ts',
        title: 'a turn that another process has taken over ends before the next step',
        planted: ['the writes of a run are accepted in a turn that is over'],
      },
    ],
  },
  {
    title: 'Several nodes lose nothing and repeat nothing when one of them or the primary dies',
    exactly: `
This holds for [several servers on PostgreSQL](operations.md#several-servers-on-postgresql) with a synchronous standby, whenever nodes are killed, freeze, or lose their connections, and
whenever the primary dies and the standby is promoted. An alert answered with 2xx is kept and investigated, its run ends exactly once, and no action of class \`never\` or \`verify\`
happens twice. The other nodes continue the runs of a dead node within 10 seconds, or somewhat later if the machines are overloaded. A sender that gets no answer sends the alert again, through any
node, with the same \`Idempotency-Key\`.

A node waits for others by its own clock, and longer than they may send without a renewed lease. Time in which it could not look at the others does not count, so a failover of the
database ends no node. Runs that were active on two nodes in a row when they died are taken up one by one (promise 9), which takes longer. The gaps of promise 17 remain.
`,
    proofs: [
      {
        file: 'nodes/cluster-faults.test.ts',
        title: 'several nodes whose processes and database fail under load keep each acknowledged alert',
        planted: [
          'a request needs no lease',
          'other nodes take over before the lease is over',
          'a removed node may write',
          'commits do not wait for the standby',
        ],
      },
      {
        file: 'postgres/contract.test.ts',
        title: 'PostgreSQL stores turns that are over',
        planted: ['the writes of a run are accepted in a turn that is over'],
      },
    ],
  },
]
