async function main(input) {
  const detail = JSON.parse(input.detail);
  const names = detail.requestParameters.instances.items.map((i) => i.instanceId);
  await files.append('ec2.log', input.time + ' ' + detail.eventName + ' ' + names.join(' ') + '\n');
  if (detail.eventName === 'TerminateInstances') await notify('Terminated', names.join(', '));
  return { event: detail.eventName, instances: names };
}
