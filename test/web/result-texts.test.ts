import { expect } from 'chai'
import { failureText, judgedText, startsText } from '../../server/web/playbooks/results/result-texts.ts'

const nothing = { alert: null, schedule: null, manual: false, call: false }

describe('results in the list of playbooks', () => {
  it('says what starts a playbook', () => {
    const alert = { type: 'phishing', provider: null, where: false }
    expect(startsText({ ...nothing, alert })).to.equal('phishing')
    expect(startsText({ ...nothing, alert: { ...alert, provider: 'okta', where: true } })).to.equal(
      'phishing from okta (filtered)',
    )
    expect(startsText({ alert, schedule: '0 4 * * *', manual: true, call: true })).to.equal(
      'phishing, schedule (0 4 * * *), manual, other playbooks',
    )
    expect(startsText(null)).to.equal('nothing (does not match the installed skills)')
  })

  it('says how many failed, and never that none did where one did', () => {
    expect(failureText({ failed: 0, judged: 7 })).to.equal('0 %')
    expect(failureText({ failed: 1, judged: 7 })).to.equal('14 %')
    expect(failureText({ failed: 1, judged: 300 })).to.equal('<1 %')
  })

  it('says it of one run, of none that failed, and of many', () => {
    expect(judgedText({ failed: 0, judged: 1 })).to.equal('the last run did not fail')
    expect(judgedText({ failed: 1, judged: 1 })).to.equal('the last run failed')
    expect(judgedText({ failed: 0, judged: 6 })).to.equal('none of the last 6 runs failed')
    expect(judgedText({ failed: 3, judged: 6 })).to.equal('50 % of the last 6 runs failed')
  })
})
