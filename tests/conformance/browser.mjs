// The person and the browser of a login in the suite: opens the address, and goes where it leads.
// The suite's authorisation servers let everybody in and redirect at once.
const page = await fetch(process.argv[2], { redirect: 'manual' });
const next = page.headers.get('location');
if (next) await fetch(new URL(next, process.argv[2]), { redirect: 'manual' });
