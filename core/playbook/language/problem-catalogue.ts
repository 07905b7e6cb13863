import type { ProblemSeverity } from '../../errors/source-frame.ts'
import { adviceCatalogue, namesCatalogue, pluginCatalogue, testCatalogue } from './problem-advice.ts'

/** The description of a code. docs/problems.md contains the same; a test keeps both equal. */
export interface CatalogueEntry {
  readonly title: string
  /** Plain text for the author: why it is a problem, and the fix. */
  readonly explanation: string
}

/**
 * All problems of playbooks, of their tests and of declarative plugins. A code never changes its meaning. `E` is an error that prevents
 * use, `W` a probable mistake, `I` advice.
 */
export const problemCatalogue = {
  E001: {
    title: 'the file is too large',
    explanation:
      'The limit is 256 KiB for a playbook and 1 MB for a plugin. Move long texts and lists into another system, or split the file.',
  },
  E002: {
    title: 'the file is not UTF-8',
    explanation: 'The file contains bytes that are not UTF-8. Save it as UTF-8.',
  },
  E003: {
    title: 'a character is not allowed',
    explanation:
      'Control characters and direction overrides make a playbook look different from its content. Write them as escapes in double quotes.',
  },
  E004: {
    title: 'nested too deep',
    explanation: 'Maps and lists may be nested 64 levels deep. Aliases count with their content.',
  },
  E005: {
    title: 'too many keys and values',
    explanation:
      'A playbook may have 20,000 keys, values and list items, a plugin 100,000. Aliases count with their content.',
  },
  E006: {
    title: 'anchors or aliases misused',
    explanation:
      'A file may have 100 anchors and 100 aliases. An alias must come after its anchor and outside of it.',
  },
  E101: {
    title: 'not valid YAML',
    explanation:
      'The file is not valid YAML 1.2. If the intention is clear, the rest is checked anyway; otherwise nothing else is checked.',
  },
  E102: {
    title: 'unsupported YAML feature',
    explanation:
      'Playbooks do not support tags (`!x`), directives (`%YAML`), merge keys (`<<`), several documents in one file, or numbers that JSON cannot represent.',
  },
  E103: {
    title: 'duplicate key',
    explanation: 'A map contains the same key twice. Remove one of them.',
  },
  E104: {
    title: 'unknown key',
    explanation: 'The key is not known at this place. Unknown keys are errors, so typos are not ignored.',
  },
  E105: {
    title: 'missing key',
    explanation: 'A required key is missing.',
  },
  E106: {
    title: 'wrong kind of value',
    explanation: 'The value has the wrong type, such as a string where a list is expected.',
  },
  E107: {
    title: 'value not allowed',
    explanation:
      'The value has the right type, but the key does not accept it: an invalid name or duration, a number out of range, or an unknown choice.',
  },
  E109: {
    title: 'not exactly one action',
    explanation:
      'A step has exactly one action: `uses`, `set`, `state`, `steps`, `parallel`, `switch`, `checkpoint`, `call`, `wait`, `return` or `fail`.',
  },
  E110: {
    title: 'invalid id',
    explanation:
      'An id starts with a lower-case letter, followed by lower-case letters, digits and `_`; at most 64 characters.',
  },
  E111: {
    title: 'duplicate id',
    explanation:
      'Ids are unique in the whole playbook, also across branches, since `steps.<id>` must refer to one step.',
  },
  E112: {
    title: 'key does not belong to this action',
    explanation: 'The key has no meaning for the action of this step, such as `with` without `uses`.',
  },
  E113: {
    title: 'the run cannot end here',
    explanation:
      'In `finally` the outcome of the run is already decided: `return` and `fail` are not allowed.',
  },
  E114: {
    title: 'expression without quotes',
    explanation:
      'Inside `{ }` and `[ ]`, YAML would read the braces of `${{ … }}` as maps. Quote the value, or write it on its own line.',
  },
  E201: {
    title: 'invalid expression',
    explanation:
      'The text between `${{` and `}}`, or of a condition, is not a valid expression. The caret shows where parsing stopped.',
  },
  E202: {
    title: 'not one of the possible values',
    explanation: 'A string is used where only certain values are possible.',
  },
  E203: {
    title: 'type mismatch',
    explanation: 'An operator, function or field access does not work on a value of this type.',
  },
  E204: {
    title: 'unknown name',
    explanation: 'The name is not defined at this place.',
  },
  E205: {
    title: 'unknown field',
    explanation: 'According to its schema, the value has no such field.',
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
    explanation: 'The function does not exist, or does not accept these arguments.',
  },
  E209: {
    title: 'expression too large',
    explanation:
      'An expression may have 8 KiB, 64 levels and 2,000 nodes. Split it over several steps with `set`. With repeat counts multiplied out, its regular expressions may have 10,000 characters, and those of a playbook 100,000: `a{900}` counts as 900.',
  },
  E210: {
    title: 'condition is not boolean',
    explanation: '`if`, `when` and `where` must be true or false. Other values are not converted.',
  },
  E211: {
    title: 'value cannot be inserted into text',
    explanation:
      'Inside text, an expression must give a string, number, boolean, timestamp or duration. Join lists with `.join(", ")`.',
  },
  E212: {
    title: 'invalid literal',
    explanation:
      'A constant part of the expression always fails: a malformed regular expression, time, zone, network or format, or a part such as `int("abc")` or `1 / 0`.',
  },
  E213: {
    title: 'not part of the expression language',
    explanation: 'CEL has this feature, but playbooks do not support it.',
  },
  E301: {
    title: 'unknown skill',
    explanation: 'No installed plugin has a skill with this name.',
  },
  E302: {
    title: 'unknown step',
    explanation: 'No step of the playbook has this id.',
  },
  E303: {
    title: 'step not visible here',
    explanation:
      'An expression can read steps that have finished when it is evaluated. It cannot read later steps, other branches of the same `parallel`, its own step, or steps inside the body of a `foreach`.',
  },
  E304: {
    title: 'connection missing',
    explanation:
      'The skill needs a connection of its plugin. There is none with this name, none at all, or several to choose from.',
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
    explanation: '`foreach` loops over a list.',
  },
  E310: {
    title: 'not a duration or time',
    explanation: '`wait` and the timeout of a checkpoint take a duration (`10m`); `until` takes a timestamp.',
  },
  E311: {
    title: 'invalid schema',
    explanation:
      'A JSON Schema in the playbook (of an input, of `alert`, of a `form`) is invalid or uses an unsupported keyword.',
  },
  E312: {
    title: 'input would have no value',
    explanation:
      'A trigger does not provide an input that has no default, or provides an invalid value. Alerts provide no inputs.',
  },
  E313: {
    title: 'invalid schedule',
    explanation: 'A schedule is a cron expression of five fields, or of six with the seconds first.',
  },
  E315: {
    title: 'sensitive value leaves the run',
    explanation:
      'The value is sensitive, or derived from a sensitive one, and would reach a person, a case, another system or another playbook through an input that does not accept sensitive values.',
  },
  E316: {
    title: 'unknown playbook',
    explanation: 'There is no playbook with this name.',
  },
  E317: {
    title: 'playbook cannot be called here',
    explanation:
      'The called playbook has errors, has no `call: true` in its `on`, runs in shadow, or needs an alert that this playbook does not have.',
  },
  E318: {
    title: 'call cycle',
    explanation: 'A playbook calls itself, directly or through others, and would never end.',
  },
  E319: {
    title: 'skill does not ask',
    explanation:
      'The `via` of a checkpoint must be a skill that asks a person and returns the answer, or `operator`.',
  },
  E320: {
    title: 'skill asks a person',
    explanation: 'The answer of this skill arrives later, and only a `checkpoint` waits for it.',
  },
  E321: {
    title: 'unrelated alerts grouped',
    explanation:
      'Each expression of `on.alert.group.by` must read the alert. Otherwise it is the same for all alerts and would group unrelated ones.',
  },
  ...namesCatalogue,
  E330: {
    title: 'unknown time zone',
    explanation:
      'A time zone is written as in the time zone database: region and city (`Europe/Berlin`), or `UTC`. Abbreviations such as `CET` are ambiguous, and offsets such as `+01:00` know no daylight saving time.',
  },
  E331: {
    title: 'unrelated alerts correlated',
    explanation:
      'A rule of `on.alert.correlate` would give unrelated alerts one case: an expression does not read the alert or is only true or false, or the values exist even for an empty alert, such as `alert.type` or a default with `orValue("none")`.',
  },
  E340: {
    title: 'unknown state',
    explanation: 'A step names a state that the playbook does not declare under `state` at the top.',
  },
  E341: {
    title: 'operation does not fit the state',
    explanation:
      'The kind of a state decides what steps can do with it: `set` and `delete` a value; `increment`, `set` and `delete` a counter; `add`, `get` and `delete` entries of a set; `set`, `get` and `delete` entries of a map; `increment`, `set`, `get` and `delete` entries of counters. Entries need a `key`.',
  },
  E342: {
    title: 'value does not fit the state',
    explanation: 'The value does not fit the type that the playbook declares for the state.',
  },
  E350: {
    title: 'shadow cannot be judged',
    explanation:
      'A playbook with `mode: shadow` is judged on alerts, so its `on` needs `alert`. Its `beside` names another playbook, which is live.',
  },
  ...adviceCatalogue,
  ...testCatalogue,
  ...pluginCatalogue,
} as const satisfies Readonly<Record<string, CatalogueEntry>>

export type ProblemCode = keyof typeof problemCatalogue

/** The letter of a code is its severity. */
export const severityOf = (code: ProblemCode): ProblemSeverity =>
  code.startsWith('E') ? 'error' : code.startsWith('W') ? 'warning' : 'info'
