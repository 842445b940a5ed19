/** The sample people and articles that the seeds insert. */

export const people = [
  {
    name: 'Maren Holt',
    email: 'maren@driftwood.example',
    role: 'editor',
    bio: 'Edits this journal from a kitchen table with a view of the breakwater.',
  },
  {
    name: 'Tomasz Wilk',
    email: 'tomasz@driftwood.example',
    role: 'author',
    bio: 'Walks, counts birds, repairs boats that other people have given up.',
  },
  {
    name: 'Aiko Brandt',
    email: 'aiko@driftwood.example',
    role: 'author',
    bio: 'Weather observer and baker. Up at four for both.',
  },
  {
    name: 'Joseph Adeyemi',
    email: 'joseph@driftwood.example',
    role: 'author',
    bio: 'Teaches physics to teenagers and patience to himself.',
  },
]

interface SampleArticle {
  readonly author: string
  readonly title: string
  readonly summary: string
  readonly body: string
  readonly tags: string
  readonly image?: { readonly name: string; readonly alt: string }
  readonly isDraft?: boolean
}

export const articles: readonly SampleArticle[] = [
  {
    author: 'Tomasz Wilk',
    title: 'The harbour before five',
    summary:
      'There is an hour in which the harbour belongs to gulls, two bakers, and whoever cannot sleep.',
    tags: 'sea, mornings',
    image: {
      name: 'harbour',
      alt: 'A small sailing boat in front of hills, the sea red in the morning sun',
    },
    body: `The first sound is rope. Long before an engine starts, the moored boats pull at their lines and let go again, and the whole quay breathes.

I come here to count sandwich terns, which is a polite reason to stand around. The terns know nothing of my list. They sit on the outer piles, all facing the wind, like people waiting for a bus that is certain to come.

## What the light does

For a few minutes the water is brighter than the sky. Fishermen have a word for it that they would not tell me, because they said I would put it into an article.

> If you can read the name on the bow, it is day. If you have to guess, it is still yours.

At five the ice machine starts, a van reverses, somebody laughs. The hour is over. I write down the number of terns and go to buy bread.

- 41 sandwich terns
- 3 turnstones
- 1 heron, offended`,
  },
  {
    author: 'Aiko Brandt',
    title: 'How to read a sky',
    summary: 'Ten years of looking up at seven in the morning, condensed into a page.',
    tags: 'weather, crafts',
    image: { name: 'night', alt: 'A lighthouse throws its beam over a dark sea under stars' },
    body: `Every observer starts with the names of clouds and ends with their habits. The names take an afternoon. The habits take years, because the sky is different at every coast.

## Three things to notice

- How fast the low clouds move, and whether the high ones agree
- Which way the smoke of the bakery leans
- Whether the far shore looks closer than yesterday

The last one is the best. When the islands seem near enough to touch, the air is clean and moist, and rain is on its way. My grandmother said the islands come closer to get under our umbrella.

## Write it down

A sky that is not written down becomes a mood. Two words are enough: the wind and one thing that surprised you. After a year you have a book that nobody else could have written.`,
  },
  {
    author: 'Joseph Adeyemi',
    title: 'A tide table for teachers',
    summary: 'Attention comes in and goes out. It helps to know when.',
    tags: 'teaching, sea',
    body: `On Mondays the water is low. You can see all the mud of the weekend, and nobody walks far without boots. I do not teach anything new on Mondays. We repair what broke on Friday.

By Wednesday the tide is in. That is when I bring the pendulum, the bad joke about Galileo, and the question that has no answer in the book.

> You cannot argue with a tide. You can only be there when it is high.

My pupils found out about the table, of course. They have made one for me. According to them I am at my best on Thursdays at eleven, and should be left alone after the second coffee has worn off.`,
  },
  {
    author: 'Maren Holt',
    title: 'Snow on the sheep road',
    summary:
      'The old road over the hill is closed for four months. That is the best time to walk it.',
    tags: 'walking, winter',
    image: { name: 'snow', alt: 'Dark firs stand in front of pale snowy hills' },
    body: `Nobody clears the sheep road. The council gave up in the seventies, and the sheep have a lorry now. From December to March it belongs to hares and to people with gaiters.

The snow keeps a ledger. Here a fox crossed, stopped, thought better of it. There somebody sat down, probably me, last week.

## What to take

- Twice as much tea as you need
- Half as many plans
- Somebody who does not talk on the way up

At the top there is a stone with a number on it that no map explains. I touch it each time. It has become smooth there, so I am not the only one.`,
  },
  {
    author: 'Tomasz Wilk',
    title: 'Repairing the Alma',
    summary: 'A boat of 1961, a winter, and forty kilos of oak that did not want to bend.',
    tags: 'boats, crafts, winter',
    body: `The Alma was sold to me for a crate of apples and the promise not to burn her. Her planks were fine. Her ribs were not: eleven of them broke when I looked at them.

Steaming oak is simple. An hour in the box for every inch of thickness, then you have thirty seconds. In these thirty seconds you learn who your friends are, because you need four more hands.

> Wood remembers the tree. You have to be convincing.

In April she floated. She also leaked, but in a friendly way, and after a week the planks had swollen and she was dry. I have two apples left.`,
  },
  {
    author: 'Aiko Brandt',
    title: 'Bread for a north wind',
    summary: 'Dough knows the forecast. A baker only has to ask.',
    tags: 'bread, weather, mornings',
    body: `When the wind is in the north the bakery is four degrees colder, and the dough takes its time. You can fight it with warm water. You can also go home an hour later with better bread.

## The recipe

- A kilo of flour that has seen the coast
- Water, less than you think
- Salt, more than you dare
- A night

In the morning the loaves crackle as they cool. Stand still and listen: it is the only applause that you get at this hour.`,
  },
  {
    author: 'Maren Holt',
    title: 'In praise of the second ferry',
    summary: 'Everybody takes the first one. Here is why you should not.',
    tags: 'islands, sea, walking',
    image: { name: 'dunes', alt: 'Grass on sand dunes, behind them a calm blue sea' },
    body: `The first ferry is full of intentions. Bicycles, plans, a schedule for the lighthouse. By the time it lands, the island is a list.

The second ferry carries a postman, a crate of lettuce and four people who overslept. They look at the water. Nobody has a map out.

When you arrive, the first ferry's crowd has just left the harbour in one direction. Take the other.`,
  },
  {
    author: 'Joseph Adeyemi',
    title: 'What the lighthouse costs',
    summary: 'A lamp of a thousand watts, a lens of glass, and arithmetic on a rainy evening.',
    tags: 'sea, numbers',
    body: `The lamp in our lighthouse needs less power than a kettle. That surprised my class so much that we did the sum on the blackboard, then on the floor.

The trick is the lens. Fresnel threw away all the glass that did not bend light, and kept the rings. A weak lamp becomes a line that a ship sees from twenty-one miles.

> Most of brightness is direction.

One pupil asked whether that was also true of people. I said it would be in the test.`,
  },
  {
    author: 'Tomasz Wilk',
    title: 'Counting what is not there',
    summary: 'A list of birds is mostly a list of absences, and that is its use.',
    tags: 'birds, numbers',
    body: `In nine years I have counted two hundred thousand birds, and I remember perhaps thirty of them. The list remembers the others. It also remembers the days with none, which took the most patience.

Zero is an observation. It needs the same cold feet. Without it, every number after it is a rumour.

The lapwings came back in the sixth year. I would not have believed it without all those zeros.`,
  },
  {
    author: 'Aiko Brandt',
    title: 'A field guide to fog',
    summary: 'Sea fog, river fog, the fog that only sits in the church yard: an attempt at order.',
    tags: 'weather, mornings',
    image: { name: 'field', alt: 'Flowers in front of green fields and violet hills at sunrise' },
    body: `Sea fog arrives like a guest with luggage. It has no hurry, and it brings its own temperature.

River fog is local. It knows the fields by name and leaves before the school bus.

And then there is the fog in the church yard, which is a foot high. You can stand in it to your knees under a blue sky. I have no explanation, and I have stopped looking for one.`,
  },
  {
    author: 'Joseph Adeyemi',
    title: 'Letters that came by water',
    summary: 'Three bottles, two of them with messages, one of them with a reply.',
    tags: 'sea, letters',
    body: `The first bottle contained a school exercise in a language that none of us could read. We wrote back in ours. That seemed fair.

The second one was empty but well corked. We decided that it was a message.

The third came to the same beach, four years later, with our own letter in it and a single line below: *Thank you, we have understood everything.*`,
  },
  {
    author: 'Maren Holt',
    title: 'Small rules for a small journal',
    summary: 'What we print here, what we do not, and why the comments are open.',
    tags: 'journal',
    body: `We print what somebody has seen. It may be small. A tide, a loaf, a road under snow. It may not be an opinion about something that happened to other people far away.

- One thing at a time
- No adjective that you would not say aloud
- The end is where you stop, not where you conclude

Comments are open because most articles here began as one.`,
  },
  {
    author: 'Tomasz Wilk',
    title: 'Notes for a piece about knots',
    summary: 'Not finished: the bowline, the one that everybody knows, and the one that holds.',
    tags: 'boats, crafts',
    isDraft: true,
    body: `Begin with the sailor who could only tie one knot, and tied it everywhere.

Then: why a good knot is one that can be opened.`,
  },
]

export const comments = [
  {
    title: 'The harbour before five',
    by: 'Aiko Brandt',
    body: 'One of the two bakers here. You may come in, you know. The door is open from half past three.',
  },
  {
    title: 'The harbour before five',
    by: 'Tomasz Wilk',
    body: 'I thought that was the smell of being watched. I will bring the heron.',
  },
  {
    title: 'The harbour before five',
    by: 'Joseph Adeyemi',
    body: 'My class wants to know the word that the fishermen would not tell you.\nAll of them promise not to use it.',
  },
  {
    title: 'How to read a sky',
    by: 'Maren Holt',
    body: 'The islands were close enough to lean on this morning. Umbrella packed.',
  },
  {
    title: 'Snow on the sheep road',
    by: 'Tomasz Wilk',
    body: 'The number on the stone is the height in Danish feet. Please do not print this.',
  },
  {
    title: 'What the lighthouse costs',
    by: 'Aiko Brandt',
    body: 'Did it come up in the test?',
  },
]
