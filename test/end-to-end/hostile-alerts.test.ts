import { expect } from 'chai'
import fc from 'fast-check'
import { generateInvestigator } from '../../core/investigation/generate-investigator.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { tries } from '../support/random.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'
import { anyCharacter } from '../support/any-character.ts'

/**
 * Types chosen by an attacker: text that could end a YAML string, begin an expression, or be read as another
 * type.
 */
const types: Record<string, string> = {
  'an expression': '${{ organization.name }}',
  'an expression in an expression': "${{ alert.content + '${{ 1 + 1 }}' }}",
  'the end of a string and a step': '" }\\nsteps: [{ fail: owned }] #',
  'a YAML map': 'a: {b: [c]} # d',
  'a YAML tag, anchor and alias': '!!js/function &a *a',
  'a CEL string break': `' || true || '`,
  'a script': '<script>alert(1)</script>',
  'a name of a prototype': '__proto__',
  'a name of a constructor': 'constructor',
  'a path': '../../../../etc/passwd',
  'a word YAML takes for a truth value': 'yes',
  'a number': '1e3',
  'two hundred letters': 'ä'.repeat(200),
  'an emoji': '🔔',
}

const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

const contents: Record<string, string> = {
  'a script and escapes for a terminal':
    '<script>alert(1)</script>\u001b]0;owned\u0007\u001b[31m\u202egpj.exe',
  expressions: '{"ip": "${{ 1 + 1 }}", "${{ alert.id }}": "198.51.100.23"} ${{ steps }}',
  YAML: 'steps:\n  - fail: owned\n--- !!js/function &a [*a]',
  'keys of prototypes':
    '{"__proto__": {"polluted": "198.51.100.23"}, "constructor": {"prototype": {"polluted": 1}}, "toString": 1}',
  'JSON nested 5,000 deep': deep(5_000),
  'JSON nested 100,000 deep': deep(100_000),
  'a megabyte of one line': `198.51.100.23 ${'a'.repeat(1_000_000)}`,
  'a megabyte of addresses': Array.from(
    { length: 50_000 },
    (_, n) => `203.0.${(n >> 8) & 255}.${n & 255}`,
  ).join(' '),
  'a megabyte of what is nearly a link': 'hxxp://a.'.repeat(110_000),
  'a megabyte of opening brackets': '[{"'.repeat(200_000),
  'numbers beyond every size': '{"a": 1e999, "b": -0, "c": 123456789012345678901234567890, "d": 0.1}',
  nothing: '',
  'NUL and other controls': 'a\u0000b\u0001c\u007fd',
}

/** A type that looks like a pattern (W405) is still a literal type. */
const mistakesIn = (problems: ReturnType<typeof parsePlaybook>['problems']) =>
  problems.filter(({ code }) => code !== 'W405')

describe('alerts written by attackers', function () {
  let tocsin: TestTocsin

  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, sandbox: 'intel_provider' })
    expect((await tocsin.connect('intel')).status).to.equal(201)
  })
  after(() => tocsin?.close())

  for (const [what, type] of Object.entries(types)) {
    it(`with a type that is ${what} are investigated; the type is plain data in their generated playbook`, async () => {
      const { status, body: alert } = await tocsin.investigate({ type, content: 'from 198.51.100.23' })
      expect(status, JSON.stringify(alert)).to.equal(200)
      expect(alert).to.include({ alert_type: type, investigation_status: 15 })
      const { body: playbook } = await tocsin.call(`/playbooks/${alert.investigator}`)
      const { playbook: parsed, problems } = parsePlaybook(playbook.source)
      expect(mistakesIn(problems)).to.deep.equal([])
      expect(parsed?.alertTrigger?.types).to.deep.equal([type])
      expect(parsed?.name).to.match(/^investigate-[a-z0-9-]*main(-[0-9a-f]{16})?$/)
      expect(
        parsed?.steps.map((step) => step.id),
        'no step but its own',
      ).to.deep.equal(ownSteps)
      const { body: opened } = await tocsin.call(`/cases/${alert.case_id}`)
      expect(JSON.stringify(opened)).not.to.contain('Main organization').and.not.contain('owned":')
    })
  }

  let ownSteps: unknown
  before(async () => {
    const { body: alert } = await tocsin.investigate({ type: 'plain', content: 'from 198.51.100.23' })
    const { body: playbook } = await tocsin.call(`/playbooks/${alert.investigator}`)
    ownSteps = parsePlaybook(playbook.source).playbook?.steps.map((step) => step.id)
  })

  for (const [what, content] of Object.entries(contents)) {
    it(`with ${what} are stored unchanged and investigated`, async () => {
      const begun = processorTime()
      const { body: alert } = await tocsin.investigate({ type: 'hostile_content', content })
      expect(alert.alert_content === content, 'kept byte for byte').to.equal(true)
      expect(alert.investigation_status).to.equal(15)
      expect(processorTime() - begun, 'milliseconds of the processor').to.be.lessThan(limitHere(10_000))
      expect(({} as { polluted?: unknown }).polluted).to.equal(undefined)
    })
  }

  it('generate no playbook for another type or organization', async () => {
    const { body } = await tocsin.call('/playbooks')
    const made = body.data.filter((one: { origin: string }) => one.origin === 'made')
    expect(new Set(made.map((one: { name: string }) => one.name)).size).to.equal(made.length)
    expect(made.length).to.be.greaterThan(10)
  })

  it('with an invisible or misleading type are refused', async () => {
    const unseen = ['invoice\u202egpj.exe', 'a\u2028b', 'a\u0085b', '\ufeffa', 'a\u200bb', 'a\u{e0001}b']
    for (const type of [...unseen, '   ', '\u00a0', '\ufeff', '\u3000\u2003', 'a\u0000b', '']) {
      const { status, body } = await tocsin.investigate({ type, content: 'x' })
      expect(status, JSON.stringify(type)).to.equal(400)
      expect(JSON.stringify(body)).to.contain('/alert_type')
    }
  })

  it('with any accepted type get a runnable playbook', () => {
    const accepted = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom(...Array.from(`{}[]:#'"\\!&*|>%@$ -?,~`)),
          fc.constant('${{'),
          anyCharacter,
        ),
        minLength: 1,
        maxLength: 40,
      })
      .filter((type) => type.trim() !== '' && !/\p{Cc}/u.test(type))
    fc.assert(
      fc.property(accepted, (type) => {
        const { playbook, problems } = parsePlaybook(generateInvestigator(type, { code: 'main' }, []))
        expect(mistakesIn(problems)).to.deep.equal([])
        expect(playbook?.alertTrigger?.types).to.deep.equal([type])
      }),
      tries(100),
    )
  })

  it('with lone surrogates are refused or stored unchanged', async () => {
    const body = `{"alert_provider":"custom","organization_code":"main","alert_type":"x","alert_content":"a\\ud800b"}`
    const { body: lookups } = await tocsin.call('/organizations')
    expect(lookups.data.length).to.be.greaterThan(0)
    const reply = await tocsin.call('/alerts', { body: JSON.parse(body) as unknown })
    if (reply.status === 201) expect(reply.body.alert_content).to.equal('a\ud800b')
    else expect(reply.status).to.equal(400)
  })

  it('that are too large or too deep are refused, and the server keeps working', async () => {
    const large = await tocsin
      .investigate({ type: 'x', content: 'a'.repeat(2_000_000) })
      .catch(() => ({ status: 413 }))
    expect(large.status).to.equal(413)
    const { status } = await tocsin.call('/alerts', { body: JSON.parse(deep(2_000)) as unknown })
    expect(status).to.equal(400)
    expect((await tocsin.investigate({ type: 'x', content: 'fine' })).body.investigation_status).to.equal(15)
  })
})
