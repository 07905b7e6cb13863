import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { promotedSource } from '../../core/shadow/promoted-source.ts'

const promoted = (source: string): string => {
  const { playbook, problems } = parsePlaybook(source)
  if (playbook === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  return promotedSource(playbook)
}
const rest = 'on: { alert: { type: t } } # mode: shadow\nsteps:\n  # beside: x\n  - return: name\n'

describe('the source of a promoted shadow', () => {
  it('has the name of the live playbook, and neither `mode` nor `beside`; all else stays', () => {
    expect(
      promoted(
        `# Ours\napiVersion: tocsin/v1\nname: a-shadow # new\nmode: shadow # for a while\nbeside: a\n\n${rest}`,
      ),
    ).to.equal(`# Ours\napiVersion: tocsin/v1\nname: a # new\n\n${rest}`)
  })

  it('keeps the name of a shadow that ran alone', () => {
    expect(promoted(`apiVersion: tocsin/v1\nmode: "shadow"\nname: fresh\n${rest}`)).to.equal(
      `apiVersion: tocsin/v1\nname: fresh\n${rest}`,
    )
  })

  it('keeps a byte order mark and the ends of lines, and quotes a name that is no string in YAML', () => {
    const head = '\uFEFFapiVersion: tocsin/v1\r\nname: b\r\n'
    expect(promoted(`${head}mode: shadow\r\nbeside: "7"\r\n${rest}`)).to.equal(
      `\uFEFFapiVersion: tocsin/v1\r\nname: '7'\r\n${rest}`,
    )
  })

  it('works at the end of a file without a line break', () => {
    expect(promoted(`apiVersion: tocsin/v1\nname: a\n${rest}mode: shadow`)).to.equal(
      `apiVersion: tocsin/v1\nname: a\n${rest}`,
    )
  })

  it('is refused if a key shares its line with others', () => {
    expect(() =>
      promoted(
        '{ apiVersion: tocsin/v1, name: a, mode: shadow, on: { alert: { type: t } }, steps: [{ return: 1 }] }',
      ),
    )
      .to.throw('`mode` shares its line with other text')
      .with.property('code', 'promotion_impossible')
  })
})
