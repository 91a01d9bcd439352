"""How fields are asked for, in plain English; one wording a field, the same for every set."""

from __future__ import annotations

FIELDS = {
    "number": "What is the invoice number?",
    "date": "What is the date?",
    "due": "When is the payment due?",
    "seller": "What is the name of the seller?",
    "buyer": "What is the name of the buyer?",
    "subtotal": "What is the subtotal?",
    "tax": "What is the tax?",
    "total": "What is the total?",
    "address": "What is the address of the seller?",
    "contract_number": "What is the contract number?",
    "advertiser": "Who is the advertiser?",
    "gross_amount": "What is the gross amount?",
}
"""Field to question."""

CHINESE = {
    "number": "发票号码是多少？",
    "date": "开票日期是哪天？",
    "due": "付款截止日期是什么时候？",
    "seller": "卖方是谁？",
    "subtotal": "税前金额是多少？",
    "total": "总金额是多少？",
}
"""Field to question, of those that are also asked in Chinese."""

FOREIGN = (
    "What is the potassium?",
    "Who is the radiologist?",
    "What is the impression?",
    "When was the patient born?",
    "How large is the nodule?",
)
"""What no invoice and no receipt has."""

NEW = (
    "What is the name of the seller?",
    "What is the date?",
    "What is the total?",
    "What is the phone number?",
    "What is the address of the seller?",
    "How many items were bought?",
    "What is the first item?",
    "What is the last item?",
    "What is the price of the first item?",
    "What is the most expensive item?",
    "What is the currency?",
    "How much tax is there?",
    "Who is the customer?",
    "What kind of document is this?",
    "Is there a discount?",
    "What is the quantity of the first item?",
)
"""Questions of which no two mean the same, for asking many about one page."""

REWORDED = (
    ("What is the total?", "total amount"),
    ("What is the date?", "Please tell me the date of this document."),
    ("What is the name of the seller?", "Who is the seller?"),
    ("What is the invoice number?", "invoice no"),
    ("What is the tax?", "How much tax is there?"),
)
"""Pairs of questions for one field each."""

LONG = "List every item on this page with its quantity and its price, and then describe the rest of the page."
"""A question that keeps the model decoding."""
