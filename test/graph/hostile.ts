/** A playbook whose step names try to escape from the picture. */
export const hostileNames = [
  'end',
  'subgraph',
  '"] --> x; click n0 "javascript:alert(1)"',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '</title></svg>&lt;&#60;',
  '%%{init: {"securityLevel":"loose"}}%% style a:#fff; classDef x:#abc;',
  '`**md**` #quot; #35; &amp; \\ | {} [[ ]] 日本語 🚨',
  '$$x^2$$ ]]> --- ::: @{ shape: x }',
  '__proto__',
  'constructor',
] as const

export const hostilePlaybook = `apiVersion: tocsin/v1
name: hostile
on: { manual: true }
steps:
${hostileNames.map((name) => `  - { name: ${JSON.stringify(name)}, set: { x: 1 } }`).join('\n')}
  - name: ${JSON.stringify(hostileNames[3])}
    parallel:
      - { id: constructor, set: { x: 1 } }
      - { name: ${JSON.stringify(hostileNames[2])}, set: { x: 1 } }
  - switch:
      - when: 'run.id == "</text>|\\"]" || run.id == "]]>"'
        steps: [{ fail: x }]
    else: [{ set: { x: 1 }, name: else }]
  - if: 'run.id == "<script>"'
    steps: [{ set: { x: 1 } }]
finally: [{ set: { x: 1 }, name: '-->' }]
`
