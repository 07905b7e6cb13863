import type { ProblemSeverity } from '../../errors/source-frame.ts'

/** What a code stands for. `docs/problems.md` says the same; a test keeps both equal. */
export interface CatalogueEntry {
  readonly title: string
  /** Plain text for the author of a playbook: why it is a problem, and what to do. */
  readonly explanation: string
}

/**
 * Every problem that can be found in a playbook, or in tests of one. A code never changes its meaning. `E` problems keep the playbook from
 * being used, `W` are probably mistakes, `I` is advice.
 */
export const problemCatalogue = {
  E001: {
    title: 'the file is too large',
    explanation:
      'A playbook may have 256 KiB. Move long texts and lists to where they are looked up, or split the playbook.',
  },
  E002: {
    title: 'the file is not UTF-8',
    explanation: 'Some bytes are not UTF-8 text. Save the file in the encoding UTF-8.',
  },
  E003: {
    title: 'a character is not allowed',
    explanation:
      'Control characters, and characters that change the direction of reading, make a playbook read differently from what it is. In double quotes they can be written as escapes.',
  },
  E004: {
    title: 'nested too deep',
    explanation: 'Maps and lists may be nested 64 deep, aliases counting as what they stand for.',
  },
  E005: {
    title: 'too many keys and values',
    explanation:
      'A playbook may have 20,000 keys, values and list items, aliases counting as what they stand for.',
  },
  E006: {
    title: 'anchors or aliases misused',
    explanation: 'At most 100 anchors and 100 aliases; an alias stands after its anchor and never inside it.',
  },
  E101: {
    title: 'not valid YAML',
    explanation:
      'The file does not follow the grammar of YAML 1.2. Where it is clear what was meant, the rest is checked all the same; else nothing is until it does.',
  },
  E102: {
    title: 'a feature of YAML that playbooks do not use',
    explanation:
      'Tags (`!x`), directives (`%YAML`), merge keys (`<<`), several documents in one file, and numbers that JSON does not have.',
  },
  E103: {
    title: 'duplicate key',
    explanation: 'A map has the same key twice; one of them would be lost.',
  },
  E104: {
    title: 'unknown key',
    explanation: 'The key means nothing at this place. Mistyped keys must not be ignored silently.',
  },
  E105: {
    title: 'missing key',
    explanation: 'A key that is required at this place is missing.',
  },
  E106: {
    title: 'wrong kind of value',
    explanation: 'A text, number, list or map stands where another kind of value is expected.',
  },
  E107: {
    title: 'value not allowed',
    explanation:
      'The value has the right kind but is outside of what the key accepts: a name, a duration, a range, a list of choices.',
  },
  E109: {
    title: 'not exactly one action',
    explanation:
      'A step does one thing: `uses`, `set`, `steps`, `parallel`, `switch`, `checkpoint`, `call`, `wait`, `return` or `fail`.',
  },
  E110: {
    title: 'bad id',
    explanation:
      'An id begins with a lower-case letter, followed by lower-case letters, digits and `_`; at most 64 characters.',
  },
  E111: {
    title: 'duplicate id',
    explanation:
      'Ids are unique in the whole playbook, also across branches, since `steps.<id>` has to mean one step.',
  },
  E112: {
    title: 'key does not belong to this action',
    explanation:
      'The key is known but has no meaning for what this step does, such as `with` without `uses`.',
  },
  E113: {
    title: 'the run cannot be ended here',
    explanation: 'In `finally` the end of the run is decided already: no `return`, no `fail`.',
  },
  E114: {
    title: 'expression without quotes',
    explanation:
      'Inside of `{ }` and `[ ]` the braces of `${{ … }}` would begin maps of YAML. Put the value into quotes, or write it on a line of its own.',
  },
  E201: {
    title: 'the expression cannot be read',
    explanation:
      'The text between `${{` and `}}`, or of a condition, is no expression. The caret shows where reading stopped.',
  },
  E202: {
    title: 'not one of the possible values',
    explanation: 'A text is compared with, or given for, something that can only have certain values.',
  },
  E203: {
    title: 'types do not fit',
    explanation:
      'An operator, function or field access is used on a value of a type that it does not work on.',
  },
  E204: {
    title: 'unknown name',
    explanation: 'The name is not defined at this place.',
  },
  E205: {
    title: 'unknown field',
    explanation: 'The value has no such field, by the schema of what produced it.',
  },
  E206: {
    title: 'value may be missing',
    explanation:
      'The field is optional, or the step may not have run. Guard it with `has(…)`, read it with `.?` and `orValue(…)`, or give the step a `default`.',
  },
  E207: {
    title: 'value may be null',
    explanation: 'Compare with null first.',
  },
  E208: {
    title: 'unknown function or wrong arguments',
    explanation: 'There is no such function, or not with these arguments.',
  },
  E209: {
    title: 'expression too large',
    explanation:
      'An expression may have 8 KiB, 64 levels and 2,000 nodes. Split it over several steps with `set`. Its patterns, with their repeats, may stand for 10,000 characters, and those of a playbook for 100,000: `a{900}` stands for 900.',
  },
  E210: {
    title: 'condition is not boolean',
    explanation: '`if`, `when` and `where` must be true or false; nothing else counts as true.',
  },
  E211: {
    title: 'value cannot stand in text',
    explanation:
      'Inside text an expression must give a text, number, boolean, timestamp or duration. Join lists with `.join(", ")`.',
  },
  E212: {
    title: 'bad literal',
    explanation:
      'What is written out in the expression can never work: a regular expression, time, zone, network or format that is malformed, or a part such as `int("abc")` or `1 / 0`.',
  },
  E213: {
    title: 'not part of the expression language',
    explanation: 'CEL knows it, playbooks do not.',
  },
  E301: {
    title: 'unknown skill',
    explanation: 'No installed plugin has a skill of this name.',
  },
  E302: {
    title: 'unknown step',
    explanation: 'No step of the playbook has this id.',
  },
  E303: {
    title: 'step not visible here',
    explanation:
      'An expression sees steps that are finished when it is evaluated: earlier ones, never later ones, branches of the same `parallel`, the step itself, or steps inside the body of a `foreach`.',
  },
  E304: {
    title: 'connection missing',
    explanation:
      'The skill needs a connection of its plugin, and there is none with this name, or none or several to choose from.',
  },
  E305: {
    title: 'unknown input',
    explanation: 'The skill has no such input.',
  },
  E306: {
    title: 'missing input',
    explanation: 'The skill requires an input that is not given.',
  },
  E307: {
    title: 'input does not fit',
    explanation: 'The value does not fit the schema of the input of the skill.',
  },
  E308: {
    title: 'default does not fit',
    explanation: '`default` replaces the output of the step and must fit its type.',
  },
  E309: {
    title: 'not a list',
    explanation: '`foreach` goes through a list.',
  },
  E310: {
    title: 'not a duration or time',
    explanation:
      'A wait, or the timeout of a checkpoint, takes a duration (`10m`); `until` takes a timestamp.',
  },
  E311: {
    title: 'schema cannot be used',
    explanation:
      'A JSON Schema in the playbook (of an input, of `alert`, of a `form`) uses a keyword that is not supported, or is wrong.',
  },
  E312: {
    title: 'input would have no value',
    explanation:
      'What starts the playbook does not give an input that has no default, or gives a value that does not fit. An alert gives no inputs at all.',
  },
  E313: {
    title: 'bad schedule',
    explanation: 'A schedule is a cron expression of five fields, or of six with the seconds first, in UTC.',
  },
  E315: {
    title: 'sensitive value leaves the run',
    explanation:
      'The value is marked sensitive, or derives from one that is, and would be given to a person, a case, another system or another playbook through an input that does not accept sensitive values.',
  },
  E316: {
    title: 'unknown playbook',
    explanation: 'There is no playbook of this name to be called.',
  },
  E317: {
    title: 'playbook cannot be called here',
    explanation:
      'The called playbook has mistakes of its own, does not have `call: true` in its `on`, or needs an alert where there is none.',
  },
  E318: {
    title: 'call cycle',
    explanation: 'A playbook calls itself, directly or through others. It would never end.',
  },
  E319: {
    title: 'skill does not ask',
    explanation:
      'The `via` of a checkpoint names a skill that asks a person and brings the answer back, or `operator`.',
  },
  E320: {
    title: 'skill asks a person',
    explanation: 'The skill asks, and the answer comes later: only a `checkpoint` waits for it.',
  },
  E321: {
    title: 'groups alerts that have nothing in common',
    explanation:
      'Each expression of `on.alert.group.by` reads the alert: what is the same for all alerts would make each the repeat of any other.',
  },
  E322: {
    title: 'unknown provider',
    explanation:
      'The server has no provider with the code that `on.alert.provider` names, so that no alert would start the playbook. Only a server knows its providers.',
  },
  E323: {
    title: 'unknown organization',
    explanation:
      'The server has no organization with a code that `on.schedule.organizations` names, so that no run would start for it. Only a server knows its organizations.',
  },
  W401: {
    title: 'step never runs',
    explanation: 'An earlier step always ends the run.',
  },
  W402: {
    title: 'switch without else',
    explanation: 'When no condition holds, nothing happens. Say so with an `else`, if only to `set` a note.',
  },
  W403: {
    title: 'output never used',
    explanation: 'The step only produces a value, and nothing reads it.',
  },
  W404: {
    title: 'retry of a write that must not be repeated',
    explanation:
      'The skill says that its effect must not happen twice. It is retried after errors which prove that nothing happened, such as `http_429`; this needs no `retry`. After a timeout, or an answer such as 500, nobody knows whether it did: the step is `unknown`, and its run waits for a person.',
  },
  W405: {
    title: 'text that looks like an expression',
    explanation:
      'Only `${{ … }}` is replaced by a value. Everything else stays as it is written, and would be sent so. Inside of an expression, a name in quotes is a text: `"alert.data.x" == "bob"` compares two texts and is always false.',
  },
  W406: {
    title: 'error code that nobody knows',
    explanation:
      '`retry.on` names errors by their codes. Those that any skill can have are known; this one must be a code of the skill itself, or nothing is ever retried because of it.',
  },
  W407: {
    title: 'time that cannot pass',
    explanation:
      'A wait, or the time to answer a checkpoint, that is written down has to be shorter than every `timeout` around it: that of groups, and that of the playbook, which is `1d` where it says nothing. The `on_error` and `finally` of a playbook have an hour. Otherwise the step fails each time, and `on_timeout` is never taken.',
  },
  W408: {
    title: 'works for some types only',
    explanation:
      'A value may have one of several types, as with `type: [string, integer]` or `oneOf`, and what is done with it does not work for all of them. Where the others come, the step fails. `type(x) == string ? … : …` tells types apart; objects are told apart by a field that is a constant, as in `x.kind == "a"`, or by `has(x.field)`.',
  },
  W409: {
    title: 'times that are text',
    explanation:
      'In JSON times are text, and text is read as a time beside a time: two texts are joined by `+`, and durations compared as text. Convert one of them with `timestamp(…)` or `duration(…)`.',
  },
  W410: {
    title: 'condition about the item outside',
    explanation:
      'The `if` of a step with `foreach` is decided once, before its items: its `item` and `index` are those of the foreach around it. What it asks says nothing about the items inside.',
  },
  W411: {
    title: 'day that does not exist',
    explanation: 'The month is shorter. The wait ends as many days after the last day of the month.',
  },
  W412: {
    title: 'number that is never the value',
    explanation: 'The schema lists the numbers that the value can be, and this is none of them.',
  },
  W413: {
    title: 'optional that is kept',
    explanation:
      '`x.?field` is an optional, which may be without a value, and JSON has no such thing: kept in `set`, `return`, `outputs`, `default` or an input, it becomes its value, and where it has none the step fails. Give it one with `orValue(…)`, null if need be; `{?"key": x.?field}` and `[?x.?field]` leave it out.',
  },
  W414: {
    title: 'value in the text of a path',
    explanation:
      'Who writes the value could choose another resource than the one meant, with the credentials of the connection. A path that could lead elsewhere is refused when the step runs. As a list, `path: [devices, "${{ alert.data.id }}"]`, each item is one percent-encoded segment; in a text, `${{ x.urlEncode() }}` is.',
  },
  W420: {
    title: 'almost a listed field',
    explanation:
      'The schema lists some fields and allows others. This one is not listed, and its name is almost one that is: read, it would be missing, and given, ignored. Where it is right, add it to the schema.',
  },
  W421: {
    title: 'comment that cuts a value',
    explanation:
      'In a value without quotes, a `#` after a space begins a comment: the value ends before it, or is empty. Put the value into quotes; write a space behind the `#` where a comment is meant.',
  },
  W422: {
    title: 'keys that become text',
    explanation:
      'In an expression a map may have whole numbers or booleans as keys, as in `{1: "a"}`. Kept in `set`, `return`, `outputs`, `default` or an input it becomes JSON, whose keys are text: `m[1]` is then `m["1"]`.',
  },
  W423: {
    title: 'timeout of one round',
    explanation:
      'The `timeout` of a group or a called playbook with `repeat` or `foreach` counts for each time, or each item, anew. To limit all of them together, put it on a group around the step; to say that one round is meant, on a group inside of it.',
  },
  W424: {
    title: 'condition that decides nothing',
    explanation:
      'By what is known of its values, the condition always holds, or never: two texts that one value cannot be at once, a range that is empty, a choice that an earlier case has taken, or a condition without any name in it.',
  },
  W440: {
    title: 'destructive skill that is repeated',
    explanation:
      'A destructive skill under `repeat` acts each time. To see how its effect goes on, call it once and repeat a skill that reads, or have it wait with `wait_seconds` where it takes that.',
  },
  I501: {
    title: 'steps could be parallel',
    explanation:
      'Neighbouring steps only read, and neither uses the other. Under `parallel:` they would run at once.',
  },
  I502: {
    title: 'more than is shown',
    explanation: 'Of a file 200 errors are shown, and 200 of the rest. There may be more of them.',
  },
  I503: {
    title: 'more than the limit of destructive actions',
    explanation:
      'A `foreach` may use destructive skills more often than their class may begin within an hour without an approval; the limit named is the default one. A `foreach` over the skill itself asks once for all its items, one over other steps for each use beyond the limit.',
  },
  E601: {
    title: 'a mock answers not exactly one thing',
    explanation:
      'A mock has an `output` (or an `example` of the skill, or both: the example with the output changed in it), or an `error`, or is `timeout`.',
  },
  E602: {
    title: 'mock does not fit',
    explanation:
      'What stands for another system must be what that system could answer: the output has to fit the schema of the skill.',
  },
  E603: {
    title: 'the playbook of the tests cannot be used',
    explanation: 'There is no such file beside the tests, or it has mistakes: see `tocsin validate`.',
  },
  E604: {
    title: 'duplicate name of a test',
    explanation: 'Tests of a file are told apart by their names.',
  },
  W601: {
    title: 'mock never used',
    explanation: 'No step of the playbook calls this skill.',
  },
  E701: {
    title: 'two playbooks of one name',
    explanation: 'A playbook is known by its name: of two files with the same one only the first is used.',
  },
  W701: {
    title: 'two playbooks for the same alerts',
    explanation:
      'Their triggers are equal, so that the one whose name comes first investigates every alert, and the other none.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>

export type ProblemCode = keyof typeof problemCatalogue

/** The letter of a code is its severity. */
export const severityOf = (code: ProblemCode): ProblemSeverity =>
  code.startsWith('E') ? 'error' : code.startsWith('W') ? 'warning' : 'info'
